"""Patches for yt-dlp methods that misread manifests."""

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


def patches(method):
    """Replaces a method of yt-dlp. The new function gets the original method as its first argument."""
    def patch(function):
        parse = getattr(InfoExtractor, method)
        def replaced(self, *args, **kwargs):
            return function(functools.partial(parse, self), *args, **kwargs)
        setattr(InfoExtractor, method, replaced)
    return patch


def join_byte_ranges(mpd):
    """A SegmentList of byte ranges in one file becomes the file itself: yt-dlp ignores ranges, and would fail with a KeyError
    or download the whole file for each segment."""
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


def caption_shifts(mpd):
    """For each period, by language, the seconds to add to the times of its captions. yt-dlp does not read them.

    ISO/IEC 23009-1, sections 5.3.2.1 and 5.3.9.2: media time minus @presentationTimeOffset (in @timescale) is relative
    to the start of the period. Without @start, a period starts at the end of the previous one. The first period starts
    at 0, whatever its @start: for a recorded live stream that is the time of day.
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


def _seconds(duration, default):
    seconds = parse_duration(duration)
    return default if seconds is None else seconds


def _timing(element, namespace, inherited):
    """Each attribute is inherited separately from the level above."""
    for name in ('SegmentBase', 'SegmentList', 'SegmentTemplate'):
        if (segments := element.find(f'{namespace}{name}')) is not None:
            own = {key: int_or_none(segments.get(key)) for key in inherited}
            return {**inherited, **{key: value for key, value in own.items() if value is not None}}
    return inherited


def is_text(attributes):
    """The same decision as in yt-dlp."""
    mime_type = attributes.get('mimeType', '')
    content_type = attributes.get('contentType', mime_type.split('/')[0])
    if content_type in ('video', 'audio', 'text'):
        return content_type == 'text'
    codecs = parse_codecs(attributes.get('codecs', ''))
    if any(codecs.get(kind, 'none') != 'none' for kind in ('vcodec', 'acodec')):
        return False
    return codecs.get('scodec', 'none') != 'none' or mimetype2ext(mime_type) in ('tt', 'dfxp', 'ttml', 'xml', 'json')


@patches('_parse_mpd_periods')
def _(parse, mpd_doc, *args, **kwargs):
    """Captions of one language are in the order of their Representations. If their numbers differ, no shift is set."""
    # The times are read first, because joining byte ranges removes elements.
    periods = dict(enumerate(caption_shifts(mpd_doc)))
    join_byte_ranges(mpd_doc)
    for index, period in enumerate(parse(mpd_doc, *args, **kwargs)):
        for language, captions in period['subtitles'].items():
            shifts = periods.get(index, {}).get(language, ())
            if len(shifts) == len(captions):
                for caption, shift in zip(captions, shifts):
                    caption.update(period=index, shift=shift)
        yield period


def audio_tiers(m3u8, m3u8_url):
    """By URL, the quality of an audio rendition: the bandwidth of the smallest variant that uses it, because its own bitrate
    is not in a master playlist (RFC 8216, section 4.3.4.1)."""
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


@patches('_parse_m3u8_formats_and_subtitles')
def _(parse, m3u8_doc, m3u8_url=None, *args, **kwargs):
    formats, subtitles = parse(m3u8_doc, m3u8_url, *args, **kwargs)
    tiers = audio_tiers(m3u8_doc, m3u8_url)
    for each in formats:
        if tier := tiers.get(each.get('url')):
            each['tier'] = tier
    return formats, subtitles


def lists_playlists(m3u8):
    """RFC 8216, section 4.3.4: a master playlist lists media playlists, and those list media."""
    uris = [line for line in m3u8.splitlines() if not line.startswith('#')]
    return '#EXT-X-STREAM-INF' in m3u8 or any(map(PLAYLIST.search, uris))


@patches('_parse_m3u8_vod_duration')
def _(parse, m3u8, video_id):
    """yt-dlp treats a playlist without a duration as live. That includes nested masters and media under a second."""
    if lists_playlists(m3u8):
        raise ExtractorError('A playlist lists playlists instead of media', expected=True)
    return parse(m3u8, video_id) or (1 if '#EXT-X-ENDLIST' in m3u8 else None)
