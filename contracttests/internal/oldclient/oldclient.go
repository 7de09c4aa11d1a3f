// Package oldclient is a client generated from version 1.0.0 of the contract and kept unchanged, so that tests can check that
// later servers still work with it. It was made by oapi-codegen with the settings in this folder and is never generated again;
// gen/released has the contract.
package oldclient
