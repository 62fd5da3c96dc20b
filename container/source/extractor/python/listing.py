"""Lists a playlist, a channel or the videos of a page with yt-dlp, without resolving its entries."""

import contextlib

from yt_dlp.utils import DownloadError, PlaylistEntries, float_or_none, int_or_none, sanitize_url, unsmuggle_url

import resolve

LINKS = ('url', 'url_transparent')
# From the URL to the page that has the list.
MAX_LINKS = 5
# A channel has tabs, and a tab may list playlists.
MAX_DEPTH = 3
# Each takes a request at least.
MAX_NESTED = 20
# With those that are repeated or have no URL.
MAX_ENTRIES = 5_000
# Their manifest has all qualities.
MANIFESTS = ('m3u8', 'm3u8_native', 'http_dash_segments')


def list_items(url, resolver, limit):
    """Returns {'list': …} or {'error': …}; both are plain JSON. A single video is a list of one."""
    # A link to a video within a playlist is a link to the playlist here.
    resolver.params['noplaylist'] = False
    try:
        found = _follow({'url': url, '_type': 'url'}, resolver)
        if not found:
            raise DownloadError('No video formats found')
        facts = _facts(found)
        if found.get('_type') not in resolve.PLAYLISTS:
            return {'list': {**facts, 'count': 1, 'items': [{**facts, 'url': url}], 'isSingle': True, 'isWhole': True}}
        listing = Listing(resolver, limit)
        listing.add(found)
        count = int_or_none(found.get('playlist_count'))
        if count is None and listing.is_complete:
            count = len(listing.items)
        return {'list': {
            **facts,
            **resolve.pick(found, ('channel_id',)),
            'count': count,
            'items': list(listing.items.values()),
            'isSingle': False,
            'isWhole': listing.is_complete and (count is None or count <= listing.seen),
        }}
    except Exception as error:
        return resolve.error_of(error)


def _follow(link, resolver):
    """The video or playlist that a link leads to. The title and the duration of a transparent link count."""
    for _ in range(MAX_LINKS):
        found = resolver.extract_info(link['url'], download=False, ie_key=link.get('ie_key'), process=False)
        if found and link['_type'] == 'url_transparent':
            found = {**found, **{name: link[name] for name in ('title', 'duration') if link.get(name)}}
        if not found or found.get('_type') not in LINKS:
            return found
        link = found
    raise DownloadError('Too many redirects')


class Listing:
    """Lists are lazy: no more pages of a long list are read than the limit needs."""

    def __init__(self, resolver, limit):
        self.resolver = resolver
        self.limit = limit
        self.items = {}
        self.is_complete = True
        self.seen = 0
        self.nested = 0

    def add(self, playlist, depth=1):
        for _, entry in PlaylistEntries(self.resolver, {'entries': playlist.get('entries') or []})[1:]:
            self.seen += 1
            if len(self.items) >= self.limit or self.seen > MAX_ENTRIES:
                self.is_complete = False
                return
            if entry:
                self.add_entry(entry, playlist, depth)

    def add_entry(self, entry, playlist, depth):
        kind = entry.get('_type', 'video')
        if depth < MAX_DEPTH:
            if kind in resolve.PLAYLISTS:
                self.add({'extractor_key': playlist.get('extractor_key'), **entry}, depth + 1)
                return
            if kind in LINKS and self.is_list(entry, playlist):
                self.nested += 1
                if self.nested > MAX_NESTED:
                    self.is_complete = False
                    return
                # If it cannot be read, it is an item, whose own job says why.
                with contextlib.suppress(DownloadError):
                    found = _follow(entry, self.resolver)
                    if found and found.get('_type') in resolve.PLAYLISTS:
                        self.add(found, depth + 1)
                        return
        link = unsmuggle_url(entry.get('url') or '')[0]
        url = _web_url(link) if kind in LINKS else _video_url(entry, playlist)
        if url and url not in self.items:
            # An entry with a page of its own may have an id on it. Others are numbered by some extractors.
            ids = resolve.pick(entry, ('id', 'ie_key')) if kind in LINKS else {}
            self.items[url] = {**_facts(entry), **ids, 'url': url}

    def is_list(self, entry, playlist):
        """Whether the extractor of an entry never returns videos, or returns both and is that of the playlist."""
        key = entry.get('ie_key')
        extractor = key and self.resolver.get_info_extractor(key)
        if not extractor or key == 'Generic':
            return False
        is_video = extractor.is_single_video(entry['url'])
        return is_video is False or (is_video is None and key == playlist.get('extractor_key'))


def _video_url(entry, playlist):
    """Its own page, else its manifest or best file. The page of the list has the other videos too."""
    page = _web_url(entry.get('webpage_url'))
    if page and page not in (playlist.get('webpage_url'), playlist.get('original_url')):
        return page
    formats = [each for each in entry.get('formats') or [entry] if each.get('url')]
    if not formats:
        return None
    best = max(formats, key=lambda each: (each.get('height') or 0, each.get('tbr') or 0))
    is_manifest = best.get('protocol') in MANIFESTS
    return _web_url(is_manifest and best.get('manifest_url') or best['url'])


def _web_url(url):
    url = sanitize_url(url) if isinstance(url, str) else ''
    return url if url.lower().startswith(('http://', 'https://')) else None


def _facts(info):
    return resolve.pick({**info, 'duration': float_or_none(info.get('duration'))}, ('title', 'duration', 'extractor'))
