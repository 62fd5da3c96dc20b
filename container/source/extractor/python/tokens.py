"""Has yt-dlp get proof-of-origin tokens for YouTube from the operator's provider (POT_PROVIDER_URL).

yt-dlp's interface for plugins is used without a plugin: of the HTTP API that bgutil's has, one request is enough, and it
goes through the proxy of this fork, which knows the provider by the host name that the fork was given for it.
"""

import json

from yt_dlp.networking.common import Request

# The container gives up earlier (container/source/tokens/token-provider.ts).
TIMEOUT_SECONDS = 12


def use_provider(host):
    """Registers the provider in this fork. Returns whether this version of yt-dlp knows such providers."""
    try:
        from yt_dlp.extractor.youtube.pot import provider, utils
        register(host, provider, utils)
    except Exception:
        # An older or newer version may have another interface. What needs no token must still work.
        return False
    return True


def register(host, pot, utils):
    class HaulHTTPPTP(pot.PoTokenProvider):
        PROVIDER_NAME = 'haul:http'
        PROVIDER_VERSION = '1.0.0'
        BUG_REPORT_LOCATION = 'the operator of this service'
        _SUPPORTED_CLIENTS = utils.WEBPO_CLIENTS
        _SUPPORTED_CONTEXTS = (pot.PoTokenContext.GVS, pot.PoTokenContext.PLAYER, pot.PoTokenContext.SUBS)
        # The proxy of this fork means nothing to the provider, which has its own way to YouTube.
        _SUPPORTED_EXTERNAL_REQUEST_FEATURES = None
        has_failed = False

        def is_available(self):
            return not self.has_failed

        def _real_request_pot(self, request):
            binding = utils.get_webpo_content_binding(request)[0]
            if not binding:
                raise pot.PoTokenProviderRejectedRequest('nothing to bind a token to')
            try:
                return pot.PoTokenResponse(po_token=self.token_for(binding, request))
            except Exception as error:
                # yt-dlp would ask again for each player and each use of a token.
                self.has_failed = True
                raise pot.PoTokenProviderError('the token provider failed', expected=True) from error

        def token_for(self, binding, request):
            response = self._request_webpage(Request(
                f'http://{host}/get_pot',
                data=json.dumps({
                    'content_binding': binding,
                    'bypass_cache': request.bypass_cache,
                    'innertube_context': request.innertube_context,
                }).encode(),
                headers={'Content-Type': 'application/json'},
                extensions={'timeout': TIMEOUT_SECONDS},
            ), note=False)
            return json.load(response)['poToken']

    pot.register_provider(HaulHTTPPTP)
