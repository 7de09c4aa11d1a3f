package generate

import (
	"slices"
	"strings"
)

// Extensions end the paths of images, documents and programs; some are in capitals, escaped or missing. Only the content of a
// file says what it is.
var Extensions = strings.Fields(`.png .jpg .jpeg .tif .tiff .bmp .webp .gif .pdf .svg .jp2 .heic .avif .html .php .aspx .json .xml .txt .csv .zip .tar.gz .exe
	.PNG .PDF .Jpg .png.txt .png.pdf .pdf.png .x .1 . .. .p%6eg .%70df .pdf/ .pdf/1 .pdf;v=1 .pdf?x=1 .pdf#page=2 .zip/a.png _pdf -pdf ~ .longextension`)

// Queries are queries and fragments, among them some that name another kind of file.
var Queries = strings.Fields(`? ?x ?x= ?=x ?x=1 ?x=1&x=2 ?x=1&y=2;z=3 ?a=b+c ?a=%20 ?a=%C3%BC ?a=%ff ?a=%26 ?a=%00 ?a=/etc/passwd ?a=../../b ?http://x.example/?y ?(b)*!'~@:/,$ ?[x]=1 ?file=a.pdf ?format=pdf ?type=text/html
	?download=1 ?token=eyJhbGciOiJIUzI1NiJ9.e30.x-_y ?X-Amz-Signature=0f&X-Amz-Expires=60 ?page=2#top # #top #page=2 #a/b?c #%20 ?q=a.png#.pdf`)

// hosts and ports of public addresses, and unusual paths.
var (
	hosts = strings.Fields(`images.example.org IMAGES.Example.ORG my_images.example.org xn--mnchen-3ya.example.org images.example.org. a-b.c-d.example.org 1.example.org example.org a.b.c.d.e.f.g.example.org 10.example.org
		0x7f.example.org www--x.example.org ` + strings.Repeat("h", 63) + `.example.org ` + strings.Repeat("sub.", 40) + `example.org images.example.museum images.example.xn--p1ai`)
	ports = strings.Fields(`:80 :443 :080 :0443`) // a server may refuse any other
	paths = strings.Fields(`/ // /. /.. /a /A /a/ /a//b /a/./b /a/../b /../a /a/b/c/d/e/f/g/h/i/j/k /0 /.a /.well-known/a /~me/a /@me/a /-/a /_/a /a.b.c /a+b /a(1) /it's /a*b!c,d=e&f$g /a:b /a;v=1/b /a;v /a=b /*
		/%20 /a%20b /a%2Fb /a%2fb /a%5Cb /a%25 /a%252F /a%3F /a%23 /a%00 /a%0A /%C3%BC /%c3%bc /%E7%94%BB /%ff /%61 /a%7Eb /%2e%2e/a /iiif/p1/info.json /iiif/2/p1/full/max/0/default.jpg /iiif/3/p1/pct:10,10,80,80/!800,800/90/default.tif
		/admin /login /status /extract /a.png/b /a.png.. /https://other.example/a.png /http:/a`)
)

// Addresses are web addresses of images at public hosts in every form that the contract permits. No two are equal.
func Addresses() (all []string) {
	const host = "https://images.example.org"
	add := func(prefix string, rest []string, suffix string) {
		for _, r := range rest {
			all = append(all, prefix+r+suffix)
		}
	}
	add(host+"/a", Extensions, "")
	add(host, Queries, "")
	add(host+"/a.png", Queries, "")
	add("https://", hosts, "/a.png")
	add("http://", hosts, "")
	add(host, ports, "/a.png")
	add("http://images.example.org", ports, "")
	add(host, paths, "")
	add("", strings.Fields("http HTTP Http hTTPS HTTPS HttpS"), "://images.example.org/a.png")
	for _, length := range []int{8192, 8191, 4097, 2049, 2048, 1025, 256} {
		all = append(all, address(length))
	}
	all = append(all, host+"/?q="+strings.Repeat("a", 8000), host+strings.Repeat("/a", 2000), host+"/"+strings.Repeat("%C3%BC", 1000), host+"?"+strings.Repeat("a=1&", 1000), host+"/#"+strings.Repeat("a", 4000))
	slices.Sort(all)
	return slices.Compact(all)
}

// unfetchableURLs are well-formed, although a server may refuse to fetch from their hosts or ports.
var unfetchableURLs = []string{
	"http://203.0.113.7/a.png", "http://203.0.113.7:8080/a.png", "http://[2001:db8::1]/a.png", "http://[2001:db8::1]:8080/a.png", "http://images/a.png",
	"https://images.example.org:8080/a.png", "https://images.example.org:8443/a.png", "https://images.example.org:8000/a.png", "https://images.example.org:3000/a.png", "https://images.example.org:1/a.png",
	"https://images.example.org:65535/a.png", "https://images.example.org:08080/a.png", "http://images.example.org:8080", "http://images.example.org:65535",
}

// address is a web address of that many characters.
func address(length int) string {
	const head = "https://images.example.org/"
	return head + strings.Repeat("a", length-len(head))
}
