"""Small answers come at once: polling must cost neither the server nor its clients."""

from __future__ import annotations

import time

from serving import RunningServer

REQUESTS = 50


def test_answers_on_one_connection_do_not_wait_for_acknowledgements(server: RunningServer) -> None:
    # a head and a body that are sent apart wait 40 ms for each other unless somebody sees to it: 2 s here
    with server.client() as client:
        client.get("/predict/v2/media")
        began = time.perf_counter()
        for _ in range(REQUESTS):
            assert client.get("/predict/v2/media").status_code == 200
    assert time.perf_counter() - began < REQUESTS * 0.02
