"""The checks of the chart. A check yields its complaints, as text; without any it holds.

everything      the order of the checks, and the count
wanted          the clusters that the chart is rendered for, and what each value file must make of it
helm            what helm makes of the chart
schemas         the schemas of Kubernetes, of the Gateway API and of the Prometheus operator
objects         where things are in what was rendered
pods            rights, files and the end of a pod
wiring          selectors, ports, probes and who may talk to whom
alerts          what the alerts ask for
refusals        values that must be refused
server          what the binary says to it
documentation   the comments of the values, the schema and the README
sabotage        what is broken on purpose, and must be found
"""
