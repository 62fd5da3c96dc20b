"""What yt-dlp misreads in manifests, put right in its own methods."""

import functools
import re

from yt_dlp.extractor.common import InfoExtractor
from yt_dlp.utils import ExtractorError


PLAYLIST = re.compile(r'^[^?#]+\.m3u8?\s*($|[?#])', re.IGNORECASE)


def put_right():
    InfoExtractor._parse_mpd_periods = _with_byte_ranges(InfoExtractor._parse_mpd_periods)
    InfoExtractor._parse_m3u8_vod_duration = _of_a_media_playlist(InfoExtractor._parse_m3u8_vod_duration)


def join_byte_ranges(mpd):
    """A SegmentList of byte ranges in one file is that file, which yt-dlp knows how to take.

    It reads no ranges itself: such a manifest would end in a KeyError, or in the whole file once per segment.
    """
    for parent in list(mpd.iter()):
        for segments in [child for child in parent if child.tag.endswith('}SegmentList')]:
            urls = [child for child in segments if child.tag.endswith('}SegmentURL')]
            files = {url.get('media') for url in urls}
            if len(files) != 1 or not any(url.get('mediaRange') for url in urls):
                continue
            parent.remove(segments)
            if file := files.pop():
                namespace = segments.tag[:segments.tag.index('}') + 1]
                base = parent.find(f'{namespace}BaseURL')
                if base is None:
                    base = parent.makeelement(f'{namespace}BaseURL', {})
                    parent.append(base)
                base.text = file


def _with_byte_ranges(parse):
    @functools.wraps(parse)
    def parse_joined(self, mpd_doc, *args, **kwargs):
        join_byte_ranges(mpd_doc)
        yield from parse(self, mpd_doc, *args, **kwargs)
    return parse_joined


def leads_to_playlists(m3u8):
    """RFC 8216, 4.3.4: what a master lists are media playlists, and what those list is media."""
    addresses = [line for line in m3u8.splitlines() if not line.startswith('#')]
    return '#EXT-X-STREAM-INF' in m3u8 or any(map(PLAYLIST.search, addresses))


def _of_a_media_playlist(parse):
    """yt-dlp takes for live whatever has no duration: a master where media should be too, or less than a second."""
    @functools.wraps(parse)
    def parse_duration(self, m3u8, video_id):
        if leads_to_playlists(m3u8):
            raise ExtractorError('A playlist leads to playlists instead of media', expected=True)
        seconds = parse(self, m3u8, video_id)
        return seconds or (1 if '#EXT-X-ENDLIST' in m3u8 else None)
    return parse_duration
