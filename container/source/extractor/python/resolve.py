"""Extracts what a URL offers with yt-dlp, without files, cache, configuration or plugins."""

import functools
import gc
import http.server
import subprocess
import threading

from yt_dlp import YoutubeDL, networking
from yt_dlp import globals as yt_dlp_globals
from yt_dlp.networking.impersonate import ImpersonateTarget
from yt_dlp.utils import DownloadError, remove_terminal_sequences
from yt_dlp.version import __version__ as VERSION

import manifests  # noqa: F401 corrects yt-dlp
import responses
import suitable

# Must be set before the first YoutubeDL, which would otherwise search system folders for plugins.
yt_dlp_globals.plugin_dirs.value = []
yt_dlp_globals.all_plugins_loaded.value = True

# The newest version that curl_cffi knows, as in browser.py.
BROWSER = ImpersonateTarget('chrome')

# More of a text is not read. A description of megabytes would make the answer too long.
MAX_TEXT = 10_000
MAX_TAGS = 100
MAX_SECONDS = 10 ** 12

PLAYLISTS = ('playlist', 'multi_video', 'compat_list')

# The fields that extractor-answer.ts reads.
INFO_FIELDS = (
    'title', 'duration', 'thumbnail', 'extractor', 'webpage_url', 'direct', 'language', 'is_live', 'live_status',
)
# Pages state anything in these, of any length.
ABOUT_FIELDS = (
    'id', 'uploader', 'channel', 'creator', 'timestamp', 'release_timestamp', 'upload_date', 'description',
)
FORMAT_FIELDS = (
    'format_id', 'url', 'manifest_url', 'protocol', 'ext', 'vcodec', 'acodec', 'width', 'height', 'tbr', 'abr',
    'filesize', 'filesize_approx', 'language', 'has_drm', 'http_headers', 'fragment_base_url', 'tier',
)
CAPTION_FIELDS = ('ext', 'url', 'protocol', 'http_headers', 'fragment_base_url', 'period', 'shift')


class Silent:
    debug = info = warning = error = staticmethod(lambda message: None)


class UrlIsPlaylist(Exception):
    pass


class Resolver(YoutubeDL):
    """Resolves the first of several videos on a page, and refuses playlists before any entry is resolved."""

    several = False

    def __init__(self, node=None):
        super().__init__({
            'logger': Silent(),
            'quiet': True,
            'simulate': True,
            'cachedir': False,
            'enable_file_urls': False,
            'noplaylist': True,
            'geo_bypass': False,
            'socket_timeout': 15,
            'extractor_retries': 1,
            'format': 'all',
            # All formats, without the network requests and ffmpeg runs of yt-dlp's own selection.
            'check_formats': False,
            # Node runs YouTube's player scripts. It inherits the confinement of its fork.
            'js_runtimes': {'node': {'path': node}} if node else {},
            'color': 'never',
            # The certificates that this system trusts, and not those of a package.
            'compat_opts': {'no-certifi'},
        })
        self._ies = suitable.Extractors(self._ies)

    def extract_info(self, url, download=True, ie_key=None, *args, **kwargs):
        return super().extract_info(url, download, ie_key or suitable.key_for(url), *args, **kwargs)

    def urlopen(self, req):
        response = super().urlopen(req)
        # The generic extractor would take it for the time when the video was uploaded.
        del response.headers['Last-Modified']
        return response

    def process_ie_result(self, ie_result, download=True, extra_info=None):
        if ie_result.get('_type') not in PLAYLISTS:
            return super().process_ie_result(ie_result, download, extra_info)
        entries = ie_result.get('entries')
        if is_playlist(ie_result, entries):
            raise UrlIsPlaylist
        if not entries:
            raise DownloadError('No video formats found')
        self.several = self.several or len(entries) > 1
        page = {key: ie_result.get(key) for key in ('extractor', 'extractor_key', 'webpage_url', 'original_url')}
        if is_video(entries[0]):
            self.add_extra_info(entries[0], page)
        return super().process_ie_result(entries[0], download, extra_info)


def is_playlist(page, entries):
    """A playlist is a lazy list, links to other pages, a feed, or the parts of one video: its first part would look like the
    whole video. A page that contains several videos itself is not a playlist."""
    if page['_type'] == 'multi_video' or not isinstance(entries, (list, tuple)):
        return True
    if page.get('extractor_key') == 'Generic':
        return '://' in str(page.get('id'))  # the id of a feed is its URL
    return not all(map(is_video, entries[:1]))


def is_video(entry):
    return entry.get('_type', 'video') == 'video'


def resolve(url, resolver):
    """Returns {'info': …}, {'playlist': True} or {'error': …}: all are plain JSON."""
    try:
        info = resolver.extract_info(url, download=False)
    except UrlIsPlaylist:
        return {'playlist': True}
    except Exception as error:
        return error_of(error)
    if not info:
        return {'error': {'kind': 'Nothing', 'text': 'No video formats found'}}
    return {'info': {**_outline(info, resolver), 'several': resolver.several}}


def error_of(error):
    """Of any exception: a crash of yt-dlp's extractor means that it could not read the page."""
    cause = (getattr(error, 'exc_info', None) or (None, None))[1] or error
    return {'error': {'kind': type(cause).__name__, 'text': remove_terminal_sequences(str(error))[:2000]}}


def _outline(info, resolver):
    formats = info.get('formats') or [info]
    return {
        'duration': max(map(_length, formats), default=0),
        **pick(info, INFO_FIELDS),
        **pick({name: _stated(info.get(name)) for name in ABOUT_FIELDS}, ABOUT_FIELDS),
        'tags': _tags(info.get('tags')),
        'formats': [_format(each, FORMAT_FIELDS, resolver) for each in formats],
        'subtitles': _captions(info.get('subtitles'), resolver),
        'automatic_captions': _captions(info.get('automatic_captions'), resolver),
        'chapters': [pick(each, ('title', 'start_time', 'end_time')) for each in info.get('chapters') or ()],
    }


def _stated(value):
    if isinstance(value, str):
        return value[:MAX_TEXT]
    # JSON has no number that is infinite or none.
    return value if isinstance(value, (int, float)) and 0 <= value < MAX_SECONDS else None


def _tags(tags):
    if not isinstance(tags, (list, tuple)):
        return []
    return [tag[:MAX_TEXT] for tag in tags[:MAX_TAGS] if isinstance(tag, str)]


def _length(format):
    """For DASH, yt-dlp reports the duration only per fragment."""
    fragments = format.get('fragments')
    return sum(each.get('duration') or 0 for each in fragments) if isinstance(fragments, (list, tuple)) else 0


def _captions(tracks, resolver):
    return {
        language: [_format(each, CAPTION_FIELDS, resolver) for each in formats]
        for language, formats in (tracks or {}).items()
    }


def _format(fields, names, resolver):
    picked = pick(fields, names)
    fragments = fields.get('fragments')
    # For a live stream this is an infinite generator.
    if isinstance(fragments, (list, tuple)):
        picked['fragments'] = [each.get('url') or each.get('path') for each in fragments]
        # An initialization section has no duration.
        picked['fragment_seconds'] = [each.get('duration') for each in fragments]
    if cookies := resolver.cookiejar.get_cookie_header(fields['url']) if fields.get('url') else None:
        picked['http_headers'] = {**(picked.get('http_headers') or {}), 'Cookie': cookies}
    return picked


def pick(fields, names):
    return {name: _plain(fields.get(name)) for name in names if fields.get(name) is not None}


def _plain(value):
    if hasattr(value, 'items'):
        return {str(key): str(each) for key, each in value.items()}
    return value if isinstance(value, (str, bool, int, float)) else str(value)


def script_problem(resolver):
    """Why the scripts that YouTube's player needs solved do not run. None: they do."""
    import yt_dlp_ejs.yt.solver as solver
    runtime = resolver._js_runtimes.get('node')
    if not runtime or not runtime.info or not runtime.info.supported:
        return 'yt-dlp does not accept this Node'
    # As yt-dlp puts them together (yt_dlp/extractor/youtube/jsc/_builtin/ejs.py).
    script = f'{solver.lib()}\nObject.assign(globalThis, lib)\n{solver.core()}\nconsole.log(typeof jsc)'
    ran = subprocess.run(
        [runtime.info.path, '--permission', '-'],
        input=script, capture_output=True, text=True, timeout=20, check=False,
    )
    return None if ran.stdout.strip() == 'function' else 'the scripts of yt-dlp-ejs do not run'


responses.patch_yt_dlp()
# Reading the system's certificates takes as long as the rest of a request, so it is done once.
networking.common.make_ssl_context = functools.cache(networking.common.make_ssl_context)


MPD = (
    b'<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" mediaPresentationDuration="PT1S"><Period>'
    b'<AdaptationSet><Representation id="1" mimeType="video/mp4" codecs="avc1.42c00d"><BaseURL>v.mp4</BaseURL>'
    b'</Representation></AdaptationSet></Period></MPD>'
)
HLS = 'application/vnd.apple.mpegurl'
WARM_UP = {
    '/page': ('text/html', b'<html><title>warm</title><video><source src="/v.mp4" type="video/mp4"></video></html>'),
    '/v.m3u8': (HLS, b'#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1.42c00d,mp4a.40.2"\nv0.m3u8\n'),
    '/v0.m3u8': (HLS, b'#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nv.ts\n#EXT-X-ENDLIST\n'),
    '/v.mpd': ('application/dash+xml', MPD),
}


class WarmUpPages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        content_type, body = WARM_UP[self.path]
        self.send_response(200)
        self.send_header('Content-Type', content_type)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def warm_up():
    """Resolves local pages, so that the slow imports and regexes are done before the first fork."""
    with http.server.HTTPServer(('127.0.0.1', 0), WarmUpPages) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01})
        thread.start()
        try:
            for path in WARM_UP:
                resolve(f'http://127.0.0.1:{server.server_port}{path}', Resolver())
        finally:
            server.shutdown()
            thread.join()
    # All forks share this memory. The garbage collector must not write to it, which would copy its pages.
    gc.collect()
    gc.freeze()
