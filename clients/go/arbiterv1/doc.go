// Package arbiterv1 is the contract of Arbiter, arbiter.v1: its messages and the stub of its service. All files except
// this one are generated.
package arbiterv1
