import { describe, expect, test } from 'vitest'
import { failureOfExtractor, failureOfStatus } from '../../container/failures.ts'

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
  test.each([
    ["ERROR: [youtube] a: Private video. Sign in if you've been granted access to this video", 'SOURCE_PRIVATE'],
    [
      'ERROR: [youtube] a: Join this channel to get access to members-only content like this video, and other exclusive perks.',
      'SOURCE_PRIVATE',
    ],
    ['ERROR: [youtube] a: This video requires payment to watch.', 'SOURCE_PRIVATE'],
    ['ERROR: [vimeo] 1: This video is protected by a password, use the --video-password option', 'SOURCE_PRIVATE'],
    [
      'ERROR: [Patreon] 1: You do not have permission to view this post. Log into an account that has access',
      'SOURCE_PRIVATE',
    ],
    [
      'ERROR: [x] 1: This video is only available for registered users. Use --cookies, --cookies-from-browser',
      'SOURCE_PRIVATE',
    ],
    ['ERROR: [twitch:vod] 1: This VOD is for subscribers only', 'SOURCE_PRIVATE'],
    ['ERROR: [floatplane] 1: This video requires a subscription', 'SOURCE_PRIVATE'],
    [
      'ERROR: [x] 1: Unable to download webpage: HTTP Error 401: Unauthorized (caused by <HTTPError 401: Unauthorized>)',
      'SOURCE_PRIVATE',
    ],

    [
      'ERROR: [youtube] a: Sign in to confirm your age. This video may be inappropriate for some users.',
      'SOURCE_AGE_RESTRICTED',
    ],
    ['ERROR: [x] 1: This video is only available for age verified users or after 22:00', 'SOURCE_AGE_RESTRICTED'],
    [
      'ERROR: [youtube] a: This video is age-restricted and YouTube is requiring account age-verification',
      'SOURCE_AGE_RESTRICTED',
    ],
    [
      'ERROR: [x] 1: You are restricted from watching adult content. Only content suitable for all',
      'SOURCE_AGE_RESTRICTED',
    ],

    ['ERROR: [x] 1: This video is not available from your location due to geo restriction', 'SOURCE_REGION_BLOCKED'],
    [
      'ERROR: [youtube] a: Video unavailable. The uploader has not made this video available in your country',
      'SOURCE_REGION_BLOCKED',
    ],
    [
      'ERROR: [youtube] a: Video unavailable. This video contains content from SME, who has blocked it in your country on copyright grounds',
      'SOURCE_REGION_BLOCKED',
    ],
    ['ERROR: [neteasemusic] 1: This song is blocked in this region', 'SOURCE_REGION_BLOCKED'],
    ['ERROR: [soundcloud] 1: Track unavailable in your country due to licensing restrictions', 'SOURCE_REGION_BLOCKED'],

    ['ERROR: [youtube] a: Premieres in 14 hours', 'SOURCE_LIVE'],
    ['ERROR: [youtube] a: This live event will begin in 3 days.', 'SOURCE_LIVE'],
    ['ERROR: [x] 1: This livestream has not yet started', 'SOURCE_LIVE'],
    ['ERROR: [x] 1: This livestream is scheduled to start at 2026-12-01', 'SOURCE_LIVE'],
    ['ERROR: [twitch:stream] x: The channel is not currently live', 'SOURCE_LIVE'],
    ['ERROR: [x] 1: The user is offline.', 'SOURCE_LIVE'],
    ['ERROR: [x] 1: This stream is not live', 'SOURCE_LIVE'],

    ['ERROR: [x] 1: This video is DRM protected', 'SOURCE_DRM'],
    ['ERROR: [DRM] The requested site is known to use DRM protection. It will NOT be supported', 'SOURCE_DRM'],

    [
      "ERROR: [youtube] a: This content isn't available, try again later. The current session has been rate-limited by YouTube for up to an hour",
      'SOURCE_RATE_LIMITED',
    ],
    ['ERROR: [x] 1: You have exceeded the rate limit. Try again later', 'SOURCE_RATE_LIMITED'],
    ['ERROR: [x] 1: Unable to download JSON metadata: HTTP Error 429: Too Many Requests', 'SOURCE_RATE_LIMITED'],

    [
      'ERROR: [youtube] a: Sign in to confirm you’re not a bot. Use --cookies-from-browser or --cookies for the authentication',
      'SOURCE_BLOCKED',
    ],
    ["ERROR: [youtube] a: Sign in to confirm you're not a bot.", 'SOURCE_BLOCKED'],
    [
      'ERROR: [x] 1: You are suspected as a bot. Wait, or pass the captcha on the site and provide cookies.',
      'SOURCE_BLOCKED',
    ],
    [
      'ERROR: [generic] Got HTTP Error 403 caused by Cloudflare anti-bot challenge; try again with  --extractor-args "generic:impersonate"',
      'SOURCE_BLOCKED',
    ],
    ['ERROR: [TikTok] 1: Your IP address is blocked from accessing this post', 'SOURCE_BLOCKED'],
    [
      'ERROR: [x] 1: Unable to download webpage: HTTP Error 403: Forbidden (caused by <HTTPError 403: Forbidden>)',
      'SOURCE_BLOCKED',
    ],

    [
      'ERROR: [generic] x: Unable to download webpage: HTTP Error 404: Not Found (caused by <HTTPError 404: Not Found>)',
      'SOURCE_NOT_FOUND',
    ],
    ['ERROR: [x] 1: Unable to download webpage: HTTP Error 410: Gone', 'SOURCE_NOT_FOUND'],
    ['ERROR: [youtube] a: Video unavailable', 'SOURCE_NOT_FOUND'],
    ['ERROR: [youtube] a: Video unavailable. This video has been removed by the uploader', 'SOURCE_NOT_FOUND'],
    [
      'ERROR: [youtube] a: Video unavailable. This video is no longer available because the YouTube account associated with this video has been terminated.',
      'SOURCE_NOT_FOUND',
    ],
    ['ERROR: [youtube] a: This video is no longer available due to a copyright claim by SME', 'SOURCE_NOT_FOUND'],
    ['ERROR: [x] 1: This video does not exist', 'SOURCE_NOT_FOUND'],
    ['ERROR: [x] 1: Content not found; it has most likely expired', 'SOURCE_NOT_FOUND'],
    ['ERROR: [x] 1: This livestream has ended', 'SOURCE_NOT_FOUND'],
    ['ERROR: [x] 1: The live event has recently ended', 'SOURCE_NOT_FOUND'],
    ['ERROR: [youtube] a: This live stream recording is not available.', 'SOURCE_NOT_FOUND'],

    [
      "ERROR: [generic] x: Unable to download webpage: The read operation timed out (caused by TransportError('The read operation timed out'))",
      'SOURCE_UNREACHABLE',
    ],
    [
      "ERROR: [generic] x: Unable to download webpage: [Errno 111] Connection refused (caused by TransportError('[Errno 111] Connection refused'))",
      'SOURCE_UNREACHABLE',
    ],
    [
      "ERROR: [x] 1: Unable to download webpage: ('Unable to connect to proxy', OSError('Tunnel connection failed: 502 Bad Gateway'))",
      'SOURCE_UNREACHABLE',
    ],
    ['ERROR: [generic] x: Unable to download webpage: HTTP Error 502: Bad Gateway', 'SOURCE_UNREACHABLE'],
    [
      'ERROR: [x] 1: Unable to download webpage: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed',
      'SOURCE_UNREACHABLE',
    ],

    ['ERROR: Unsupported URL: https://example.com/', 'SOURCE_UNSUPPORTED'],
    [
      'ERROR: [x] 1: No video formats found!; please report this issue on  https://github.com/yt-dlp/yt-dlp/issues?q= , filling out the appropriate issue template. Confirm you are on the latest version using  yt-dlp -U',
      'SOURCE_UNSUPPORTED',
    ],
    [
      'ERROR: [x] 1: Unable to extract title; please report this issue on  https://github.com/yt-dlp/yt-dlp/issues?q=',
      'SOURCE_UNSUPPORTED',
    ],
    [
      "ERROR: [x] 1: An extractor error has occurred. (caused by KeyError('streams')); please report this issue on  https://github.com/yt-dlp",
      'SOURCE_UNSUPPORTED',
    ],
    [
      'file:// URLs are disabled by default in yt-dlp for security reasons. Use --enable-file-urls to enable at your own risk.',
      'SOURCE_UNSUPPORTED',
    ],
    ['', 'SOURCE_UNSUPPORTED'],
  ])('"%s" → %s', (text, code) => expect(failureOfExtractor(text)).toBe(code))

  test('words in a URL or an id are ignored', () => {
    expect(failureOfExtractor('ERROR: Unsupported URL: https://example.com/private/drm/removed')).toBe(
      'SOURCE_UNSUPPORTED',
    )
    expect(
      failureOfExtractor('ERROR: [generic] my-private-video: Unable to download webpage: HTTP Error 404: Not Found'),
    ).toBe('SOURCE_NOT_FOUND')
  })

  test('the class of an error takes precedence over its message', () => {
    expect(failureOfExtractor('ERROR: [x] 1: Dieses Video ist hier gesperrt', 'GeoRestrictedError')).toBe(
      'SOURCE_REGION_BLOCKED',
    )
    expect(failureOfExtractor('ERROR: [x] 1: Heute nicht', 'UserNotLive')).toBe('SOURCE_LIVE')
    expect(failureOfExtractor('ERROR: [x] 1: Video unavailable', 'constructor')).toBe('SOURCE_NOT_FOUND')
  })
})
