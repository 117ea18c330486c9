"""The tests of envoy.yaml. A check yields problems, as text; it passes if there are none.

suite           runs all checks and counts the results
configuration   envoy.yaml, and how the configuration under test differs from it
processes       the replicas, Envoy, and a DNS server with the addresses of the replicas
calls           calls over every protocol, and their expected responses
forwarding      how Envoy forwards, balances and logs calls
failover        how Envoy removes replicas that drain, die or hang, and adds them again
load            many concurrent clients, and the responses that they get
mutations       faults put into the configuration, which the checks must detect
"""
