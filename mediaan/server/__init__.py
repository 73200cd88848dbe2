"""A server with the v2 media analysis service API and a web page, on one's own machine.

`service` takes media in, keeps them and has them worked on; it knows nothing of HTTP. `v2` translates requests into
calls of the service, and `pages` shows the same to people with a browser. `http` has what both need: limits, bodies,
identity, uploads, files, and the HTTP status of each error. `serve` puts them together and runs them.
"""
