package mock_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"uncial/mock"
)

// MustServe starts a mock on a loopback port and returns its URL and a client with a timeout.
func MustServe(tb testing.TB, o mock.Options) (base string, client *http.Client) {
	tb.Helper()
	server := httptest.NewServer(mock.New(o))
	tb.Cleanup(server.Close)
	client = server.Client()
	client.Timeout = 20 * time.Second
	return server.URL, client
}

var testClient = http.Client{Timeout: 20 * time.Second}

// received is the part of an answer that reached the client.
type received struct {
	status  int
	length  int64  // Content-Length
	body    []byte // the part that arrived
	err     error
	took    time.Duration
	applied string
}

func receive(client *http.Client, r *http.Request) (x received) {
	started := time.Now()
	defer func() { x.took = time.Since(started) }()
	res, err := client.Do(r)
	if err != nil {
		return received{err: err}
	}
	defer func() { _ = res.Body.Close() }()
	x = received{status: res.StatusCode, length: res.ContentLength, applied: res.Header.Get("Preference-Applied")}
	x.body, x.err = io.ReadAll(res.Body)
	return x
}

// faultCases check what a client receives with each fault.
var faultCases = map[string]func(t *testing.T, x received){
	"reset": func(t *testing.T, x received) { t.Helper(); require.ErrorIs(t, x.err, syscall.ECONNRESET) },
	"cut": func(t *testing.T, x received) {
		t.Helper()
		require.ErrorIs(t, x.err, io.ErrUnexpectedEOF)
		require.Equal(t, x.length/2, int64(len(x.body)))
	},
	"length": func(t *testing.T, x received) {
		t.Helper()
		require.NoError(t, x.err)
		require.Len(t, x.body, int(x.length))
		require.False(t, json.Valid(x.body), "half of the JSON")
	},
	"drip-400": func(t *testing.T, x received) {
		t.Helper()
		require.NoError(t, x.err)
		require.True(t, json.Valid(x.body))
		require.Greater(t, x.took, 350*time.Millisecond)
	},
	"late-400": func(t *testing.T, x received) {
		t.Helper()
		require.NoError(t, x.err)
		require.True(t, json.Valid(x.body))
		require.Greater(t, x.took, 400*time.Millisecond)
	},
}

func TestFaults_ByImageAndHeader(t *testing.T) {
	t.Parallel()
	base, client := MustServe(t, mock.Options{})
	for name, requireFault := range faultCases {
		kind, _, _ := strings.Cut(name, "-")
		for by, send := range map[string]func(key string) received{
			"image": func(key string) received {
				return receive(client, extractionAt(base, key, image(name), "Idempotency-Key", "a"))
			},
			"header": func(key string) received {
				return receive(client, extractionAt(base, key, image("printed"), "Idempotency-Key", "a", "Prefer", "fault="+name))
			},
		} {
			t.Run(kind+" by "+by, func(t *testing.T) {
				t.Parallel()
				key := "ocr_test_ok_" + kind + by
				requireFault(t, send(key))
				status := receive(client, statusAt(base, key))
				require.Contains(t, string(status.body), `"pointsUsed":10,`, "the fault comes after the charge")
				again := send(key)
				require.NoError(t, again.err)
				require.True(t, json.Valid(again.body), "a repeat gets the stored answer")
				require.Contains(t, string(again.body), `"remainingPoints":9990`)
				if by == "header" {
					require.Empty(t, again.applied, "an answer without the fault does not announce it")
				}
				seen := mustJournal(t, client, base, key)
				require.Equal(t, map[string]int{kind: 1}, seen.Faults)
				require.Equal(t, name, seen.Requests[0].Fault)
				require.Equal(t, 200, seen.Requests[0].Status)
				require.Empty(t, seen.Requests[2].Fault)
			})
		}
	}
}

// seen is the answer of /__mock/requests.
type seen struct {
	Requests []struct {
		Fault  string
		Status int
	}
	Faults map[string]int
}

func mustJournal(tb testing.TB, client *http.Client, base, key string) (s seen) {
	tb.Helper()
	query := ""
	if key != "" {
		query = "?key=" + key
	}
	x := receive(client, request(http.MethodGet, base+"/__mock/requests"+query, ""))
	require.NoError(tb, x.err)
	require.NoError(tb, json.Unmarshal(x.body, &s))
	return s
}

func TestFaults_ByKey(t *testing.T) {
	t.Parallel()
	base, client := MustServe(t, mock.Options{})
	for _, name := range []string{"reset", "cut", "length"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := "ocr_test_" + name + "_bykey"
			for range 2 {
				faultCases[name](t, receive(client, extractionAt(base, key, image("printed"), "Idempotency-Key", "a")))
			}
			faultCases[name](t, receive(client, statusAt(base, key)))
			seen := mustJournal(t, client, base, key)
			require.GreaterOrEqual(t, seen.Faults[name], 3, "every answer, replays too; net/http may repeat a status by itself")
			require.Equal(t, 200, receive(client, request(http.MethodPut, base+"/__mock/keys/"+key, `{"status":"revoked"}`)).status)
			faultCases[name](t, receive(client, extractionAt(base, key, image("printed"))))
		})
	}
	for _, name := range []string{"drip", "late"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := receive(client, statusAt(base, "ocr_test_"+name+"_bykey"))
			require.NoError(t, x.err)
			require.True(t, json.Valid(x.body))
			require.InDelta(t, 10, x.took.Seconds(), 3)
		})
	}
}

func TestFaults_Precedence(t *testing.T) {
	t.Parallel()
	base, client := MustServe(t, mock.Options{})
	x := receive(client, extractionAt(base, "ocr_test_length_first", image("reset"), "Prefer", "fault=cut"))
	faultCases["length"](t, x)
	require.Empty(t, x.applied, "key before image, image before header")
	faultCases["length"](t, receive(client, extractionAt(base, "ocr_test_ok_second", image("length"), "Prefer", "fault=cut")))
	x = receive(client, extractionAt(base, "ocr_test_ok_third", image("500"), "Prefer", "fault=length"))
	faultCases["length"](t, x)
	require.Equal(t, 500, x.status, "errors can have a fault too")
	require.Equal(t, "fault=length", x.applied)
	x = receive(client, extractionAt(base, "ocr_test_empty_fourth", image("reset")))
	require.NoError(t, x.err)
	require.Equal(t, 402, x.status, "points are checked before the image")
}

func TestFaults_Invalid(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	for _, prefer := range []string{"fault=broken", "fault=", "fault=reset-5", "fault=late-30001", "fault=late-", "fault=drip-x"} {
		a := do(t, m, 400, extractionAt("", "ocr_test_ok", image("printed"), "Prefer", prefer))
		require.Equal(t, "fault must be reset, cut, length, drip or late; drip and late may be followed by a duration in milliseconds, up to 30000, such as late-1500", a.Details["Prefer"], prefer)
	}
	for _, name := range []string{"late-30001", "reset-5", "drip-"} {
		require.Contains(t, do(t, m, 400, extractionAt("", "ocr_test_ok", image(name))).Details["imageUrl"], "has only")
	}
}

func TestFaults_Name(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"reset", "cut", "length", "drip", "late", "drip-0", "late-0", "late-1500"} {
		var f mock.Fault
		require.NoError(t, f.UnmarshalText([]byte(name)))
		require.Equal(t, name, f.String())
	}
	require.Empty(t, mock.Fault{}.String())
}

// soak sends 200 requests and returns the numbers of those that had a fault, with its kind.
func soak(t *testing.T, seed uint64) (faults []string) {
	t.Helper()
	kinds := make([]mock.Fault, 2)
	require.NoError(t, kinds[0].UnmarshalText([]byte("length")))
	require.NoError(t, kinds[1].UnmarshalText([]byte("late-1")))
	base, client := MustServe(t, mock.Options{Seed: seed, FaultRate: 0.25, Faults: kinds})
	for range 200 {
		require.NoError(t, receive(client, statusAt(base, "ocr_test_ok_soak")).err)
	}
	s := mustJournal(t, client, base, "ocr_test_ok_soak")
	for i, r := range s.Requests {
		if r.Fault != "" {
			faults = append(faults, fmt.Sprint(i, r.Fault))
		}
	}
	require.Len(t, faults, s.Faults["length"]+s.Faults["late"])
	require.NotZero(t, s.Faults["length"])
	require.NotZero(t, s.Faults["late"])
	return faults
}

func TestFaults_Rate(t *testing.T) {
	t.Parallel()
	first := soak(t, 1)
	require.InDelta(t, 50, len(first), 20, "a quarter of 200")
	require.Equal(t, first, soak(t, 1), "the seed repeats them")
	require.NotEqual(t, first, soak(t, 2))
}

func TestFaults_WithoutAConnection(t *testing.T) {
	t.Parallel()
	m := mock.New(mock.Options{})
	for _, name := range []string{"reset", "cut", "length"} {
		w := httptest.NewRecorder()
		require.PanicsWithError(t, http.ErrAbortHandler.Error(), func() { m.ServeHTTP(w, extractionAt("", "ocr_test_ok", image(name))) })
		require.False(t, json.Valid(w.Body.Bytes()), name)
	}
	do(t, m, 200, extractionAt("", "ocr_test_ok", image("drip-20")))
	do(t, m, 200, extractionAt("", "ocr_test_ok", image("late-20")))
}

// TestFaults_ResetForgets shows that a test can start counting again.
func TestFaults_ResetForgets(t *testing.T) {
	t.Parallel()
	base, client := MustServe(t, mock.Options{})
	for _, key := range []string{"ocr_test_ok_one", "ocr_test_ok_two"} {
		receive(client, extractionAt(base, key, image("length")))
	}
	require.Equal(t, map[string]int{"length": 2}, mustJournal(t, client, base, "").Faults)
	receive(client, request(http.MethodPost, base+"/__mock/reset?key=ocr_test_ok_one", ""))
	require.Empty(t, mustJournal(t, client, base, "ocr_test_ok_one").Faults)
	require.Equal(t, map[string]int{"length": 1}, mustJournal(t, client, base, "ocr_test_ok_two").Faults)
	receive(client, request(http.MethodPost, base+"/__mock/reset", ""))
	require.Empty(t, mustJournal(t, client, base, "").Faults)
}
