package liar

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// leakMutants put what callers must not see into answers: keys in every form, the inside of the server, and permission to
// cache. Forms, places and answers take turns.
func leakMutants() []row { return slices.Concat(keyLeaks(), insideLeaks(), cachingMutants()) }

// everyAnswer is answersOf with the successes.
func everyAnswer() []named[when] {
	return append(answersOf(), named[when]{"extract 200", isResult}, named[when]{"status 200", isStatusRecord})
}

// leakPlaces say where a text shows. Each says for which answers it exists.
func leakPlaces() []named[func(text string) change] {
	type place = named[func(text string) change]
	inHeader := func(name, format string) place {
		return place{"in the header " + name, func(text string) change { return header(name, fmt.Sprintf(format, text)) }}
	}
	return []place{
		inHeader("X-Debug", "%s"), inHeader("Set-Cookie", "session=%s; Path=/"), inHeader("Server-Timing", `auth;desc="%s"`), inHeader("X-Trace-Id", "t-%s-1"),
		inHeader("Server", "uncial (%s)"), inHeader("X-Account", "%s"), inHeader("Content-Location", "/accounts/%s"),
	}
}

// errorPlaces exist in errors only.
func errorPlaces() []named[func(text string) change] {
	type place = named[func(text string) change]
	after := func(name string) place {
		return place{"in " + name, func(text string) change {
			return edit(func(o object) { o[name] = fmt.Sprint(o[name], " (", text, ")") })
		}}
	}
	return []place{after("message"), after("error"), {"in details", func(text string) change {
		return edit(func(o object) {
			all, ok := o["details"].(object)
			if !ok {
				o["message"] = fmt.Sprint(o["message"], ": ", text)
				return
			}
			for name, reason := range all {
				all[name] = fmt.Sprint(reason, ": ", text)
			}
		})
	}}}
}

// keyLeaks show a part of the key, in some form. Keys of the mock have eleven characters in common.
func keyLeaks() (all []row) {
	part := func(from, to int) func(k string) string {
		return func(k string) string { return k[min(from, len(k)):min(to, len(k))] }
	}
	forms := []named[func(key string) string]{
		{"the key", func(k string) string { return k }},
		{"8 characters of the key", part(14, 22)},
		{"the last 8 characters of the key", func(k string) string { return k[max(0, len(k)-8):] }},
		{"the first 24 characters of the key", part(0, 24)},
		{"the key in base64", func(k string) string { return base64.StdEncoding.EncodeToString([]byte(k)) }},
		{"the credential in base64", func(k string) string { return base64.StdEncoding.EncodeToString([]byte("Bearer " + k)) }},
		{"the key in base64url", func(k string) string { return base64.RawURLEncoding.EncodeToString([]byte(k + "?")) }},
		{"the key in hex", func(k string) string { return hex.EncodeToString([]byte(k)) }},
		{"the key in capitals of hex", func(k string) string { return strings.ToUpper(hex.EncodeToString([]byte(k))) }},
		{"the percent-encoded key", percentEncoded},
		{"the reversed key", reversed},
		{"9 reversed characters of the key", func(k string) string { return reversed(part(13, 22)(k)) }},
		{"10 characters of the key in base64", func(k string) string { return base64.StdEncoding.EncodeToString([]byte(part(12, 22)(k))) }},
		{"9 characters of the key in hex", func(k string) string { return hex.EncodeToString([]byte(part(13, 22)(k))) }},
		{"the key in capitals", strings.ToUpper},
	}
	for i, a := range everyAnswer() {
		places := leakPlaces()
		if i < 10 {
			places = append(places, errorPlaces()...)
		}
		for j := range 5 {
			form, place := pick(forms, 4*i+3*j), pick(places, 2*i+3*j)
			all = append(all, mutant(fmt.Sprintf("%s: shows %s %s", a.name, form.name, place.name), on(both(a.of, not(isKeyless)), func(c *call, r *reply) {
				if k := c.key(); len(k) >= 22 && !strings.ContainsAny(k, " ,\"") {
					place.of(form.of(k))(c, r)
				}
			})))
		}
	}
	return removeDuplicates(all)
}

// removeDuplicates leaves out rows whose names occurred before.
func removeDuplicates(all []row) []row {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(r row) bool {
		duplicate := seen[r.does]
		seen[r.does] = true
		return duplicate
	})
}

// insideLeaks show how the server is made.
func insideLeaks() (all []row) {
	texts := []named[string]{
		{"a path of Linux", "open /usr/lib/uncial/eng.traineddata: no such file"},
		{"a path of Windows", `C:\inetpub\ocr\App_Data\pages.mdf`},
		{"a path of data", "/data/models/latin.bin is missing"},
		{"a path of the sources", "impl/app/serve.go line 41"},
		{"a path in a home", "~/uncial/uncial.db is locked"},
		{"a bucket", "s3://uncial-pages/2026/01/4711.tif"},
		{"a stack trace of Go", "panic: nil map goroutine 17 [running]: main.extract(...) /src/extract.go:42 +0x1d"},
		{"a stack trace of Java", "java.lang.NullPointerException at org.uncial.Ocr.read(Ocr.java:117)"},
		{"a stack trace of Python", `Traceback (most recent call last): File "/srv/ocr.py", line 12, in read`},
		{"a stack trace of Node", "TypeError: x is not a function at Object.<anonymous> (/app/ocr.js:7:13)"},
		{"a stack trace of Rust", "thread 'main' panicked at src/main.rs:4:5"},
		{"a stack trace of .NET", "System.NullReferenceException: at Uncial.Ocr.Read() in Ocr.cs:line 9"},
		{"an address of 10/8", "the engine at 10.0.3.7 did not answer"},
		{"an address of 172.16/12", "the engine 172.16.4.2:8090 is busy"},
		{"an address of 192.168/16", "no route to 192.168.1.12"},
		{"an address of IPv6", "the engine at fd12:3456:789a::17 did not answer"},
		{"the name of a host in a cluster", "postgres-0.db.svc.cluster.local does not answer"},
		{"the name of a host of a cloud", "ip-10-0-3-7.ec2.internal is down"},
		{"a port of this machine", "localhost:5432 refused the connection"},
		{"the name of a database library", "pgx: the pool is exhausted"},
		{"the name of Tesseract", "tesseract 5.3.0 failed"},
		{"the name of Leptonica", "leptonica: pixRead failed"},
		{"the name of libtiff", "libtiff: bad directory"},
		{"the name of a validator", "kin-openapi: request body has an error"},
		{"the name of a web framework", "Werkzeug/2.3.7 Python/3.11"},
		{"the name of an OCR library", "leptess error in pixConvert"},
		{"a query", "SELECT balance FROM accounts WHERE id = 7"},
		{"an error of SQL", "ERROR: deadlock detected (SQLSTATE 40P01)"},
		{"a type of Go", "cannot assign to *ledger.Hold"},
		{"an environment variable", "DATABASE_URL=postgres://uncial:secret@db/uncial"},
		{"the process", "worker pid 4711 exited with signal 11"},
		{"a commit", "built from 82aa61b0c7dad7c6d0976d by make"},
	}
	answers, places := everyAnswer(), errorPlaces()
	for i, t := range texts {
		a, place := pick(answers, i), pick(places, i)
		if i%12 >= 10 || i%4 == 3 { // successes have no message, and headers show as much as bodies
			place = pick(leakPlaces(), i)
		}
		all = append(all, mutant(fmt.Sprintf("%s: shows %s %s", a.name, t.name, place.name), on(a.of, place.of(t.of))))
	}
	for i, name := range []string{"X-Powered-By", "X-Aspnet-Version", "X-Runtime", "X-Generator", "X-Backend-Server", "X-Served-By", "X-Upstream", "X-Host"} {
		a := pick(answers, 5*i+1)
		value := pick([]string{"Express", "4.0.30319", "Ruby 3.2", "tesseract 5.3.0", "engine-3.internal", "10.0.3.7:8090", "http://engine:8090", "ip-10-0-3-7"}, i)
		all = append(all, mutant(fmt.Sprintf("%s: sends the header %s", a.name, name), on(a.of, header(name, value))))
	}
	return all
}

// cachingMutants let caches keep what belongs to one caller.
func cachingMutants() (all []row) {
	answers := everyAnswer()
	for i, h := range [][2]string{
		{"ETag", `"33a64df5"`},
		{"ETag", `W/"1"`},
		{"Last-Modified", "Thu, 15 Jan 2026 12:00:00 GMT"},
		{"Expires", "Fri, 01 Jan 2038 00:00:00 GMT"},
		{"Age", "17"},
		{"Pragma", "public"},
		{"Surrogate-Control", "max-age=3600"},
		{"CDN-Cache-Control", "max-age=60"},
		{"Cloudflare-CDN-Cache-Control", "max-age=60"},
		{"X-Accel-Expires", "60"},
		{"X-Cache", "HIT"},
		{"Cache-Status", "edge; hit"},
		{"Warning", `110 - "Response is Stale"`},
		{"Cache-Control", "no-store, max-age=60"},
		{"Cache-Control", "no-cache"},
		{"Cache-Control", "private"},
		{"Cache-Control", "max-age=0"},
	} {
		for j := range 2 {
			a := pick(answers, i+6*j)
			all = append(all, mutant(fmt.Sprintf("%s: sends %s: %s", a.name, h[0], h[1]), on(a.of, header(h[0], h[1]))))
		}
	}
	return all
}
