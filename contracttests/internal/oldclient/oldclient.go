// Package oldclient is a client generated from version 1.0.0 of the contract, kept as it was: tests hold later servers against
// it. It is never generated again; gen/released has the contract. The program that made it is oapi-codegen, with its settings beside it.
package oldclient
