"""The checks of the chart. A check yields problems, as text; it passes if there are none.

suite           runs all checks and counts the results
expected        the Kubernetes versions that the chart is rendered for, and the objects expected from each value file
helm            runs helm
schemas         the schemas of Kubernetes, the Gateway API and the Prometheus operator
objects         accessors for rendered objects
pods            permissions, mounts and shutdown of the pods
networking      selectors, ports, probes and the network policy
alerts          the alerts and their metrics
rejections      values that helm must reject
server          the server with the arguments of the chart
documentation   the comments of values.yaml, its schema and the README
mutations       faults put into the objects, which the checks must detect
"""
