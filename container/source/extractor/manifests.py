"""What yt-dlp misreads in manifests, put right in its own methods."""

import collections
import functools
import re

from yt_dlp.extractor.common import InfoExtractor
from yt_dlp.utils import (
    ExtractorError,
    int_or_none,
    mimetype2ext,
    parse_codecs,
    parse_duration,
    parse_m3u8_attributes,
    urljoin,
)

PLAYLIST = re.compile(r'^[^?#]+\.m3u8?\s*($|[?#])', re.IGNORECASE)


def put_right():
    # The times first: joining takes elements away.
    InfoExtractor._parse_mpd_periods = _with_text_times(_with_byte_ranges(InfoExtractor._parse_mpd_periods))
    InfoExtractor._parse_m3u8_formats_and_subtitles = _with_tiers(InfoExtractor._parse_m3u8_formats_and_subtitles)
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


def shifts_of_texts(mpd):
    """For each period, by language, what is to be added to the times of its texts; yt-dlp reads nothing of it.

    ISO/IEC 23009-1, 5.3.2.1 and 5.3.9.2: the media's time less @presentationTimeOffset, in @timescale, counts from the
    period's start, which is where the one before ends unless it says so itself. The first begins with the media,
    whatever it says: what was live has the time of day there.
    """
    namespace = mpd.tag[:mpd.tag.index('}') + 1] if '}' in mpd.tag else ''
    first, end = None, 0
    for period in mpd.findall(f'{namespace}Period'):
        start = _seconds(period.get('start'), end)
        end = start + _seconds(period.get('duration'), 0)
        first = start if first is None else first
        shifts = collections.defaultdict(list)
        of_period = _timing(period, namespace, {'presentationTimeOffset': 0, 'timescale': 1})
        for adaptations in period.findall(f'{namespace}AdaptationSet'):
            of_set = _timing(adaptations, namespace, of_period)
            for representation in adaptations.findall(f'{namespace}Representation'):
                attributes = {**adaptations.attrib, **representation.attrib}
                if is_text(attributes):
                    timing = _timing(representation, namespace, of_set)
                    offset = timing['presentationTimeOffset'] / (timing['timescale'] or 1)
                    shifts[attributes.get('lang') or 'und'].append(start - first - offset)
        yield shifts


def _seconds(duration, otherwise):
    seconds = parse_duration(duration)
    return otherwise if seconds is None else seconds


def _timing(element, namespace, inherited):
    """Each attribute by itself is inherited from the level above."""
    for name in ('SegmentBase', 'SegmentList', 'SegmentTemplate'):
        if (segments := element.find(f'{namespace}{name}')) is not None:
            own = {key: int_or_none(segments.get(key)) for key in inherited}
            return {**inherited, **{key: value for key, value in own.items() if value is not None}}
    return inherited


def is_text(attributes):
    """As yt-dlp decides it."""
    mime_type = attributes.get('mimeType', '')
    content_type = attributes.get('contentType', mime_type.split('/')[0])
    if content_type in ('video', 'audio', 'text'):
        return content_type == 'text'
    codecs = parse_codecs(attributes.get('codecs', ''))
    if any(codecs.get(kind, 'none') != 'none' for kind in ('vcodec', 'acodec')):
        return False
    return codecs.get('scodec', 'none') != 'none' or mimetype2ext(mime_type) in ('tt', 'dfxp', 'ttml', 'xml', 'json')


def _with_text_times(parse):
    """Texts of a language come in the order of their Representations; where it is another, nothing is claimed."""
    @functools.wraps(parse)
    def parse_timed(self, mpd_doc, *args, **kwargs):
        periods = dict(enumerate(shifts_of_texts(mpd_doc)))
        for index, period in enumerate(parse(self, mpd_doc, *args, **kwargs)):
            for language, texts in period['subtitles'].items():
                shifts = periods.get(index, {}).get(language, ())
                if len(shifts) == len(texts):
                    for text, shift in zip(texts, shifts):
                        text.update(period=index, shift=shift)
            yield period
    return parse_timed


def tiers_of_sounds(m3u8, m3u8_url):
    """By its address, how good a sound is: the bandwidth of the smallest variant that goes with it.

    A master says no bitrate of its sounds (RFC 8216, 4.3.4.1), and yt-dlp says nothing of what it leaves to guess.
    """
    tiers, groups = {}, collections.defaultdict(list)
    lines = m3u8.splitlines()
    for media in (parse_m3u8_attributes(line) for line in lines if line.startswith('#EXT-X-MEDIA:')):
        if media.get('TYPE') == 'AUDIO' and media.get('URI'):
            groups[media.get('GROUP-ID')].append(urljoin(m3u8_url, media['URI']))
    for variant in (parse_m3u8_attributes(line) for line in lines if line.startswith('#EXT-X-STREAM-INF:')):
        bandwidth = int_or_none(variant.get('BANDWIDTH'))
        for url in groups.get(variant.get('AUDIO'), ()) if bandwidth else ():
            tiers[url] = min(bandwidth, tiers.get(url, bandwidth))
    return tiers


def _with_tiers(parse):
    @functools.wraps(parse)
    def parse_tiered(self, m3u8_doc, m3u8_url=None, *args, **kwargs):
        formats, subtitles = parse(self, m3u8_doc, m3u8_url, *args, **kwargs)
        tiers = tiers_of_sounds(m3u8_doc, m3u8_url)
        for each in formats:
            if tier := tiers.get(each.get('url')):
                each['tier'] = tier
        return formats, subtitles
    return parse_tiered


def leads_to_playlists(m3u8):
    """RFC 8216, 4.3.4: what a master lists are media playlists, and what those list is media."""
    addresses = [line for line in m3u8.splitlines() if not line.startswith('#')]
    return '#EXT-X-STREAM-INF' in m3u8 or any(map(PLAYLIST.search, addresses))


def _of_a_media_playlist(parse):
    """yt-dlp takes for live whatever has no duration: a master where media should be too, or less than a second."""
    @functools.wraps(parse)
    def duration_of(self, m3u8, video_id):
        if leads_to_playlists(m3u8):
            raise ExtractorError('A playlist leads to playlists instead of media', expected=True)
        seconds = parse(self, m3u8, video_id)
        return seconds or (1 if '#EXT-X-ENDLIST' in m3u8 else None)
    return duration_of
