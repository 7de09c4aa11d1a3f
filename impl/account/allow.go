package account

import (
	"net/netip"
	"slices"
	"strings"
)

// maxAllow bounds the address ranges of a key, because every request with the key compares them all.
const maxAllow = 100

// ParseAllow parses CIDRs and single addresses; a single address becomes a CIDR of one. The results are canonical, so
// that the same range is always stored and shown the same way. Errors: ErrAllow.
func ParseAllow(texts []string) ([]netip.Prefix, error) {
	if len(texts) > maxAllow {
		return nil, ErrAllow
	}
	var allow []netip.Prefix
	for _, text := range texts {
		if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
			allow = append(allow, canonical(netip.PrefixFrom(addr, addr.BitLen())))
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, ErrAllow
		}
		allow = append(allow, canonical(prefix))
	}
	return allow, nil
}

// canonical clears the host bits, and turns an IPv4 network in IPv6 notation, ::ffff:a.b.c.d (RFC 4291, section
// 2.5.5.2), into IPv4 notation.
func canonical(p netip.Prefix) netip.Prefix {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.Masked()
}

// formatAllow is the stored form: CIDRs separated by commas. parseAllow is its inverse.
func formatAllow(allow []netip.Prefix) string {
	texts := make([]string, len(allow))
	for i, prefix := range allow {
		texts[i] = prefix.String()
	}
	return strings.Join(texts, ",")
}

// parseAllow parses ranges as the database stores them. An empty text means that every address is allowed.
func parseAllow(text string) ([]netip.Prefix, error) {
	if text == "" {
		return nil, nil
	}
	return ParseAllow(strings.Split(text, ","))
}

// checkAllow returns ErrAllow for too many ranges, or one that is not valid.
func checkAllow(allow []netip.Prefix) error {
	invalid := func(p netip.Prefix) bool { return !p.IsValid() }
	if len(allow) > maxAllow || slices.ContainsFunc(allow, invalid) {
		return ErrAllow
	}
	return nil
}
