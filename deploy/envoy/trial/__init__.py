"""The trial of envoy.yaml. A check yields its complaints, as text; without any it holds.

everything      the order of the checks, and the count
configuration   envoy.yaml, and what of it is another here
stand           the processes: replicas, Envoy, and who tells it their addresses
calls           calls by every protocol, and the answers that they must have
passing         what passes through Envoy, and how
leaving         who is asked no more, and who is again
load            many callers at once, and what they were answered
sabotage        what is spoilt on purpose, and must be found
"""
