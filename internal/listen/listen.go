// Package listen opens the listeners of the programs. Its errors name the flag that holds the address and suggest a valid one.
// Start with TCP.
package listen

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// Check returns an error if an address is not HOST:PORT. Without a host, as in ":8080", it stands for all addresses of the
// machine. An empty address is valid: the flag was not used.
func Check(flag, address string) error {
	if address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err == nil {
		return nil
	}
	if n, e := strconv.ParseUint(address, 10, 16); e == nil {
		return fmt.Errorf("%s: invalid address %q; for this port use 127.0.0.1:%d (this machine only) or :%d (all addresses)", flag, address, n, n)
	}
	return fmt.Errorf("%s: invalid address %q; expected HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:8080 or :8080", flag, address)
}

// TCP opens a listener at an address, HOST:PORT; flag is the name that errors begin with.
func TCP(flag, address string) (net.Listener, error) {
	if err := Check(flag, address); err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s: another program listens on %s; stop it, or choose another port", flag, address)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("%s: %s is not an address of this machine", flag, address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s: this user may not listen on %s; choose a port above 1023", flag, address)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return ln, nil
}
