// Package arbiterv1 is the contract of Arbiter, arbiter.v1: its messages and the stub of its service. All but this file
// is generated.
package arbiterv1
