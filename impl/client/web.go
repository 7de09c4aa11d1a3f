package client

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"uncial/impl/fetch"
	"uncial/internal/address"
)

const (
	// fetchTimeout is the time limit of one fetch by this program: twice what the service allows, since masters are larger.
	fetchTimeout = 2 * time.Minute
	// maxFetchedBytes bounds an image that is fetched here, in bytes: it passes through memory.
	maxFetchedBytes = 64 << 20
)

var anywhere = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

// localhost are the addresses of this machine (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3).
var localhost = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// fetchers returns a fetcher for the URLs on the command line, which the user chose, and one for the URLs in manifests, which
// their authors chose. The guard of the service applies to the second: an address must be public, and its port one of web
// servers or of a URL on the command line; or it must lie in a range of --fetch-allow; or the command line must name the host
// by IP address or as localhost. Errors are *failure.
func (c *ExtractCmd) fetchers() (web, linked *fetch.Fetcher, err error) {
	allow, err := c.allowed()
	if err != nil {
		return nil, nil, err
	}
	o := fetch.Options{Allow: anywhere, MaxBytes: maxFetchedBytes, Timeout: fetchTimeout, PerHost: 1}
	web = fetch.New(o)
	o.Allow, o.Ports = allow, c.ports()
	return web, fetch.New(o), nil
}

// ports returns the ports that the URLs of the command line name: the server of a manifest may serve its images too.
func (c *ExtractCmd) ports() (all []uint16) {
	for _, argument := range c.Images {
		u, err := url.Parse(argument)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			continue
		}
		if port, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
			all = append(all, uint16(port))
		}
	}
	return all
}

// allowed returns the ranges that manifests may refer to in addition to public addresses.
func (c *ExtractCmd) allowed() (allow []netip.Prefix, err error) {
	for _, text := range c.FetchAllow {
		if addr, err := netip.ParseAddr(text); err == nil {
			allow = append(allow, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, usage("--fetch-allow: invalid address range %q; expected one such as 10.0.0.0/8", text)
		}
		allow = append(allow, prefix)
	}
	for _, argument := range c.Images {
		u, err := url.Parse(argument)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !address.NeverPublic(u.Hostname()) {
			continue
		}
		host := strings.TrimSuffix(u.Hostname(), ".")
		if addr, err := netip.ParseAddr(host); err == nil {
			allow = append(allow, netip.PrefixFrom(addr, addr.BitLen()))
		} else if !address.EndsInNumber(host) { // 10.1 is another way to write 10.0.0.1, and is never fetched
			allow = append(allow, localhost...)
		}
	}
	return allow, nil
}
