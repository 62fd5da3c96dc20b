import { describe, expect, test } from 'vitest'
import { failureOfExtractor, failureOfStatus } from '../../container/failures.ts'
import type { FailureCode } from '../../domain/codes/failures.ts'

describe('HTTP statuses of an origin', () => {
  test.each([
    [400, 'SOURCE_BLOCKED'],
    [401, 'SOURCE_PRIVATE'],
    [402, 'SOURCE_PRIVATE'],
    [403, 'SOURCE_BLOCKED'],
    [404, 'SOURCE_NOT_FOUND'],
    [408, 'SOURCE_UNREACHABLE'],
    [410, 'SOURCE_NOT_FOUND'],
    [418, 'SOURCE_BLOCKED'],
    [429, 'SOURCE_RATE_LIMITED'],
    [451, 'SOURCE_REGION_BLOCKED'],
    [500, 'SOURCE_UNREACHABLE'],
    [503, 'SOURCE_UNREACHABLE'],
    [302, 'SOURCE_UNREACHABLE'],
  ])('%i → %s', (status, code) => expect(failureOfStatus(status)).toBe(code))
})

describe('error messages of yt-dlp', () => {
  const messages: Partial<Record<FailureCode, string[]>> = {
    SOURCE_PRIVATE: [
      "ERROR: [youtube] a: Private video. Sign in if you've been granted access to this video",
      'ERROR: [youtube] a: Join this channel to get access to members-only content like this video, and other exclusive perks.',
      'ERROR: [youtube] a: This video requires payment to watch.',
      'ERROR: [vimeo] 1: This video is protected by a password, use the --video-password option',
      'ERROR: [Patreon] 1: You do not have permission to view this post. Log into an account that has access',
      'ERROR: [x] 1: This video is only available for registered users. Use --cookies, --cookies-from-browser',
      'ERROR: [twitch:vod] 1: This VOD is for subscribers only',
      'ERROR: [floatplane] 1: This video requires a subscription',
      'ERROR: [x] 1: Unable to download webpage: HTTP Error 401: Unauthorized (caused by <HTTPError 401: Unauthorized>)',
    ],
    SOURCE_AGE_RESTRICTED: [
      'ERROR: [youtube] a: Sign in to confirm your age. This video may be inappropriate for some users.',
      'ERROR: [x] 1: This video is only available for age verified users or after 22:00',
      'ERROR: [youtube] a: This video is age-restricted and YouTube is requiring account age-verification',
      'ERROR: [x] 1: You are restricted from watching adult content. Only content suitable for all',
    ],
    SOURCE_REGION_BLOCKED: [
      'ERROR: [x] 1: This video is not available from your location due to geo restriction',
      'ERROR: [youtube] a: Video unavailable. The uploader has not made this video available in your country',
      'ERROR: [youtube] a: Video unavailable. This video contains content from SME, who has blocked it in your country on copyright grounds',
      'ERROR: [neteasemusic] 1: This song is blocked in this region',
      'ERROR: [soundcloud] 1: Track unavailable in your country due to licensing restrictions',
    ],
    SOURCE_LIVE: [
      'ERROR: [youtube] a: Premieres in 14 hours',
      'ERROR: [youtube] a: This live event will begin in 3 days.',
      'ERROR: [x] 1: This livestream has not yet started',
      'ERROR: [x] 1: This livestream is scheduled to start at 2026-12-01',
      'ERROR: [twitch:stream] x: The channel is not currently live',
      'ERROR: [x] 1: The user is offline.',
      'ERROR: [x] 1: This stream is not live',
    ],
    SOURCE_DRM: [
      'ERROR: [x] 1: This video is DRM protected',
      'ERROR: [DRM] The requested site is known to use DRM protection. It will NOT be supported',
    ],
    SOURCE_RATE_LIMITED: [
      "ERROR: [youtube] a: This content isn't available, try again later. The current session has been rate-limited by YouTube for up to an hour",
      'ERROR: [x] 1: You have exceeded the rate limit. Try again later',
      'ERROR: [x] 1: Unable to download JSON metadata: HTTP Error 429: Too Many Requests',
    ],
    SOURCE_BLOCKED: [
      'ERROR: [youtube] a: Sign in to confirm you’re not a bot. Use --cookies-from-browser or --cookies for the authentication',
      "ERROR: [youtube] a: Sign in to confirm you're not a bot.",
      'ERROR: [x] 1: You are suspected as a bot. Wait, or pass the captcha on the site and provide cookies.',
      'ERROR: [generic] Got HTTP Error 403 caused by Cloudflare anti-bot challenge; try again with  --extractor-args "generic:impersonate"',
      'ERROR: [TikTok] 1: Your IP address is blocked from accessing this post',
      'ERROR: [x] 1: Unable to download webpage: HTTP Error 403: Forbidden (caused by <HTTPError 403: Forbidden>)',
    ],
    SOURCE_NOT_FOUND: [
      ...[
        'ERROR: [generic] x: Unable to download webpage: HTTP Error 404: Not Found (caused by <HTTPError 404: Not Found>)',
      ],
      'ERROR: [x] 1: Unable to download webpage: HTTP Error 410: Gone',
      'ERROR: [youtube] a: Video unavailable',
      'ERROR: [youtube] a: Video unavailable. This video has been removed by the uploader',
      ...[
        'ERROR: [youtube] a: Video unavailable. This video is no longer available because the YouTube account associated with this video has been terminated.',
      ],
      'ERROR: [youtube] a: This video is no longer available due to a copyright claim by SME',
      'ERROR: [x] 1: This video does not exist',
      'ERROR: [x] 1: Content not found; it has most likely expired',
      'ERROR: [x] 1: This livestream has ended',
      'ERROR: [x] 1: The live event has recently ended',
      'ERROR: [youtube] a: This live stream recording is not available.',
    ],
    SOURCE_UNREACHABLE: [
      "ERROR: [generic] x: Unable to download webpage: The read operation timed out (caused by TransportError('The read operation timed out'))",
      "ERROR: [generic] x: Unable to download webpage: [Errno 111] Connection refused (caused by TransportError('[Errno 111] Connection refused'))",
      "ERROR: [x] 1: Unable to download webpage: ('Unable to connect to proxy', OSError('Tunnel connection failed: 502 Bad Gateway'))",
      'ERROR: [generic] x: Unable to download webpage: HTTP Error 502: Bad Gateway',
      'ERROR: [x] 1: Unable to download webpage: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed',
    ],
    SOURCE_UNSUPPORTED: [
      'ERROR: Unsupported URL: https://example.com/',
      'ERROR: [x] 1: No video formats found!; please report this issue on  https://github.com/yt-dlp/yt-dlp/issues?q= , filling out the appropriate issue template. Confirm you are on the latest version using  yt-dlp -U',
      'ERROR: [x] 1: Unable to extract title; please report this issue on  https://github.com/yt-dlp/yt-dlp/issues?q=',
      "ERROR: [x] 1: An extractor error has occurred. (caused by KeyError('streams')); please report this issue on  https://github.com/yt-dlp",
      'file:// URLs are disabled by default in yt-dlp for security reasons. Use --enable-file-urls to enable at your own risk.',
      '',
    ],
  }
  const rows = Object.entries(messages).flatMap(([code, texts]) => texts.map((text): [string, string] => [text, code]))

  test.each(rows)('"%s" → %s', (text, code) => expect(failureOfExtractor(text)).toBe(code))

  test.each([
    ['words in a URL', 'ERROR: Unsupported URL: https://example.com/private/drm/removed', 'SOURCE_UNSUPPORTED'],
    [
      'words in an id',
      'ERROR: [generic] my-private-video: Unable to download webpage: HTTP Error 404: Not Found',
      'SOURCE_NOT_FOUND',
    ],
  ])('%s are ignored', (_, text, code) => expect(failureOfExtractor(text)).toBe(code))

  test.each([
    ['ERROR: [x] 1: Dieses Video ist hier gesperrt', 'GeoRestrictedError', 'SOURCE_REGION_BLOCKED'],
    ['ERROR: [x] 1: Heute nicht', 'UserNotLive', 'SOURCE_LIVE'],
    ['ERROR: [x] 1: Video unavailable', 'constructor', 'SOURCE_NOT_FOUND'],
  ])('"%s" of the class %s → %s, because the class takes precedence', (text, kind, code) =>
    expect(failureOfExtractor(text, kind)).toBe(code),
  )
})
