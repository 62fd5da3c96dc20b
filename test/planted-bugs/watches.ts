import type { TestedBug } from './planted-bug.ts'

const identity = { path: 'domain/watches/identity.ts', foundBy: ['test/rules/domain/watches/identity.test.ts'] }
const news = { path: 'domain/watches/news.ts', foundBy: ['test/rules/domain/watches/news.test.ts'] }
const schedule = { path: 'domain/watches/schedule.ts', foundBy: ['test/rules/domain/watches/schedule.test.ts'] }
const filter = { path: 'domain/watches/filter.ts', foundBy: ['test/rules/domain/watches/filter.test.ts'] }

export const watchBugs: Record<string, TestedBug> = {
  'an entry is not known by its guid': {
    ...identity,
    find: `[\`g:\${withoutScheme(guid)}\`]`,
    instead: '[]',
  },
  'a guid that moves from http to https is another': {
    ...identity,
    find: `g:\${withoutScheme(guid)}`,
    instead: `g:\${guid.trim()}`,
  },
  'a video is another in the page than in the feed': {
    ...identity,
    find: `if (platformId) return [\`p:\${platformId}\`, ...byGuid]`,
    instead: `if (platformId) return [\`p:\${platformId}\${publishedAt}\`, ...byGuid]`,
  },
  'all videos of a platform are one': {
    ...identity,
    find: `if (platformId) return [\`p:\${platformId}\`, ...byGuid]\n`,
    instead: '',
  },
  'a token in the URL makes an entry another': {
    ...identity,
    find: 'const bare = withoutScheme(url.split(/[?#]/, 1)[0] ?? url)',
    instead: 'const bare = withoutScheme(url)',
  },
  'the same title on another day is known': {
    ...identity,
    find: `\\n\${title ?? ''}\\n\${publishedAt}\`]`,
    instead: `\\n\${title ?? ''}\`]`,
  },
  'another title of a dated entry does not make it another': {
    ...identity,
    find: `d:\${bare}\\n\${title ?? ''}`,
    instead: `d:\${bare}`,
  },
  'another URL of a dated entry does not make it another': {
    ...identity,
    find: `d:\${bare}`,
    instead: 'd:',
  },
  'an undated entry with a token is not known by its title': {
    ...identity,
    find: `title ? [\`t:\${bare}\\n\${title}\`] : []`,
    instead: `title && bare === url ? [\`t:\${bare}\\n\${title}\`] : []`,
  },
  'undated entries of one path without a title are one': {
    ...identity,
    find: `title ? [\`t:\${bare}\\n\${title}\`] : []`,
    instead: `[\`t:\${bare}\\n\${title}\`]`,
  },
  'an undated entry is not known by its URL': {
    ...identity,
    find: `\`u:\${withoutScheme(url)}\`, `,
    instead: '',
  },
  'ten items with one guid are one': {
    ...news,
    find: '!ambiguous.has(identity) && !known.isAmbiguous(identity)',
    instead: 'identity !== "" || ambiguous.size < 0 || !known.isAmbiguous(identity)',
  },
  'a guid that has stood twice counts again in the next document': {
    ...news,
    find: ' && !known.isAmbiguous(identity)',
    instead: '',
  },
  'an id that stands twice in a document is ambiguous': {
    ...news,
    find: 'identities.filter(isGuid))',
    instead: 'identities.filter(isStrong))',
  },
  'a repeated entry is taken twice': {
    ...news,
    find: 'return !isRepeated',
    instead: 'return !isRepeated || identities.length > 0',
  },
  'two episodes with one URL are one': {
    ...news,
    find: '(strong.length > 0 ? strong : identities)',
    instead: 'identities',
  },
  'an entry is known only if all of its identities are': {
    ...news,
    find: 'identities.some((identity) => known.has(identity))',
    instead: 'identities.every((identity) => known.has(identity))',
  },
  'what is dated before `since` is taken': {
    ...news,
    find: 'if (entry.publishedAt !== null) return entry.publishedAt < reading.since',
    instead: 'if (entry.publishedAt !== null) return reading.isFirst && entry.publishedAt < reading.since',
  },
  'the first read takes undated entries': {
    ...news,
    find: '    if (reading.isFirst) return true\n',
    instead: '',
  },
  'old entries at the end of a feed are taken when one is removed': {
    ...news,
    find: "(source === 'page' || count > earlier.count)",
    instead: "(source === 'page' || count >= earlier.count)",
  },
  'what is appended to a list is marked': {
    ...news,
    find: ' && !isReadToItsEnd(listed.length, reading)',
    instead: '',
  },
  'a page that was appended, and has lost an entry, has no news': {
    ...news,
    find: "source === 'page' || ",
    instead: '',
  },
  'what was never read at the end of a list is taken when it is': {
    ...news,
    find: 'isWhole && earlier.isWhole && ',
    instead: 'isWhole && ',
  },
  'the end of a list that was cut off is news': {
    ...news,
    find: 'isWhole && earlier.isWhole && ',
    instead: 'earlier.isWhole && ',
  },
  'the known entry at the top decides what is old': {
    ...news,
    find: 'isKnown.lastIndexOf(true)',
    instead: 'isKnown.indexOf(true)',
  },
  'every read takes the newest': {
    ...news,
    find: 'reading.isFirst ? newestFirst(unknown).slice(0, reading.first) : []',
    instead: 'newestFirst(unknown).slice(0, reading.first)',
  },
  'the first read takes the oldest': {
    ...news,
    find: 'newestFirst(unknown).slice(0, reading.first)',
    instead: 'newestFirst(unknown).toReversed().slice(0, reading.first)',
  },
  'the newest is taken first': {
    ...news,
    find: 'newestFirst(unknown.filter(isTaken)).toReversed()',
    instead: 'newestFirst(unknown.filter(isTaken))',
  },
  'a failure does not lengthen the interval': {
    ...schedule,
    find: 'interval * 2 ** Math.min(failures, 20)',
    instead: 'interval',
  },
  'Retry-After is ignored': {
    ...schedule,
    find: 'retryAfterMs ?? 0',
    instead: '0',
  },
  'a source may ask to be left alone for ever': {
    ...schedule,
    find: 'Math.min(delay, Math.max(DAY_MS, interval))',
    instead: 'delay',
  },
  'all watches are polled in the same minute': {
    ...schedule,
    find: 'Math.floor((number / 1_000_003) * interval)',
    instead: '0 * number * interval',
  },
  'a clock that was set back stops polls': {
    ...schedule,
    find: 'Math.min(lastPollAt, now)',
    instead: 'lastPollAt',
  },
  'a live item is tried for ever': {
    ...schedule,
    find: 'at < liveSince + LIVE_MS ? at : null',
    instead: 'at',
  },
  'case matters to a filter': {
    ...filter,
    find: 'text.includes(part.toLowerCase())',
    instead: 'text.includes(part)',
  },
  'an item whose length is not stated passes uninspected': {
    ...filter,
    find: "'unmeasured'\n  const",
    instead: "'passes'\n  const",
  },
}
