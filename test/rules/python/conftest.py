import random

import pytest

import haul_client
from blocking import blocking
from scripted_service import ScriptedService, services


@pytest.fixture
def service(monkeypatch):
    # There is no jitter, so a retry follows at once.
    monkeypatch.setattr(random, "random", lambda: 0.0)
    running = ScriptedService()
    services.append(running)
    yield running
    services.pop()
    running.close()


@pytest.fixture(params=["Haul", "AsyncHaul"])
def client(request, service):
    """Makes a client of the scripted service. Each test runs with both."""
    closers = []

    def make(**options):
        options = {"api_key": "key", "base_url": service.url, **options}
        if request.param == "Haul":
            haul = haul_client.Haul(**options)
            closers.append(haul.close)
            return haul
        haul, close = blocking(lambda: haul_client.AsyncHaul(**options))
        closers.append(close)
        return haul

    yield make
    for close in closers:
        close()
