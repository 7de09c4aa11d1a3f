// Package main keeps the namespaces of a pod: it does nothing until it is told to stop, and collects orphaned processes.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

// main keeps the namespaces of a pod alive until it is told to stop, and reaps the processes that lose their parents in it.
func main() {
	stop, child := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	signal.Notify(child, syscall.SIGCHLD)
	for {
		select {
		case <-stop:
			return
		case <-child:
			for {
				if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
					break
				}
			}
		}
	}
}
