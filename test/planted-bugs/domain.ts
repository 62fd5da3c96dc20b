import type { TestedBug } from './planted-bug.ts'

export const domainBugs: Record<string, TestedBug> = {
  'a price is rounded down': {
    path: 'domain/money/prices.ts',
    find: 'Math.ceil(((amount % unit) * price) / unit)',
    instead: 'Math.floor(((amount % unit) * price) / unit)',
    foundBy: ['test/rules/domain/money/prices.test.ts'],
  },
  'the download of a transcription is not charged': {
    path: 'domain/money/bill.ts',
    find: 'sum(downloadCost(prices, downloadedBytes), speechCost(prices, provider, durationSeconds))',
    instead: 'speechCost(prices, provider, durationSeconds)',
    foundBy: ['test/rules/domain/money/bill.test.ts'],
  },
  'a limit of uploads that an account has of its own is ignored': {
    path: 'domain/account/account-limits.ts',
    find: 'uploadBytes: own.uploadBytes ?? others.uploadBytes',
    instead: 'uploadBytes: others.uploadBytes',
    foundBy: ['test/rules/domain/account/account-limits.test.ts'],
  },
  'an address that embeds a private one is public': {
    path: 'domain/network/addresses.ts',
    find: 'parsed.match(globalUnicast) && !isIsatap(parsed)',
    instead: 'parsed.match(globalUnicast)',
    foundBy: ['test/rules/domain/network/addresses.test.ts'],
  },
  'the items of a batch take the slot of single requests': {
    path: 'domain/batches/slots.ts',
    find: 'Math.max(1, limit - 1)',
    instead: 'Math.max(1, limit)',
    foundBy: ['test/rules/domain/batches/slots.test.ts'],
  },
  'a storagePath leads out of the prefix of the bucket': {
    path: 'domain/bucket/object-name.ts',
    find: "segment === '.' || segment === '..'",
    instead: "segment === '.'",
    foundBy: ['test/rules/domain/bucket/object-name.test.ts'],
  },
  'two events of one microsecond have the same number': {
    path: 'domain/events/event-ids.ts',
    find: 'Math.max(last + 1, now * MICROS_PER_MS)',
    instead: 'Math.max(last, now * MICROS_PER_MS)',
    foundBy: ['test/rules/domain/events/event-ids.test.ts'],
  },
  'an account whose step has started keeps its turn': {
    path: 'domain/fleet/line.ts',
    find: '      account.lastTurn[work] = ++this.#clock\n      account.turns[work]++\n      this.#countTurns(work)\n',
    instead: '',
    foundBy: ['test/rules/domain/fleet/line.test.ts'],
  },
  'a job can be joined a moment too long after its end': {
    path: 'domain/jobs/joining.ts',
    find: 'now < completedAt + JOIN_MS',
    instead: 'now <= completedAt + JOIN_MS',
    foundBy: ['test/rules/domain/jobs/joining.test.ts'],
  },
  'a file name keeps the characters that turn its direction': {
    path: 'domain/media/safe-filename.ts',
    find: String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]`,
    instead: String.raw`[\p{Cc}\p{Zl}\p{Zp}]`,
    foundBy: ['test/rules/domain/media/safe-filename.test.ts'],
  },
  'the end of a job that is reported twice counts twice': {
    path: 'domain/metrics/account-report.ts',
    find: 'number <= upTo || beyond.includes(number)',
    instead: 'number < upTo || beyond.includes(number)',
    foundBy: ['test/rules/domain/metrics/account-report.test.ts'],
  },
  'a quotation mark ends a label of the metrics': {
    path: 'domain/metrics/open-metrics.ts',
    find: `.replaceAll('"', '\\\\"')`,
    instead: '',
    foundBy: ['test/rules/domain/metrics/open-metrics.test.ts'],
  },
  'a request is tried once more than it may be': {
    path: 'domain/retry.ts',
    find: 'failures >= attempts',
    instead: 'failures > attempts',
    foundBy: ['test/rules/domain/retry.test.ts'],
  },
  'an API key is valid with any checksum': {
    path: 'domain/secrets/api-keys.ts',
    find: "  if (!sameText(await checksumOf(signing, body), parts[3] ?? '')) return null\n",
    instead: '',
    foundBy: ['test/rules/domain/secrets/api-keys.test.ts'],
  },
  'a signature has a second spelling': {
    path: 'domain/secrets/signed-text.ts',
    find: 'bytes === null || toBase64Url(bytes) !== signature',
    instead: 'bytes === null',
    foundBy: ['test/rules/domain/secrets/signed-text.test.ts'],
  },
  'a setting may be above its maximum': {
    path: 'domain/settings/rules.ts',
    find: 'number >= from && number <= to ? number',
    instead: 'number >= from ? number',
    foundBy: ['test/rules/domain/settings/rules.test.ts'],
  },
  'the last part of an upload is a byte short': {
    path: 'domain/uploads/parts.ts',
    find: 'Math.min(size, sizeBytes - index * size)',
    instead: 'Math.min(size, sizeBytes - index * size - 1)',
    foundBy: ['test/rules/domain/uploads/parts.test.ts'],
  },
  'a webhook is tried nine times instead of ten': {
    path: 'domain/webhooks/retry-schedule.ts',
    find: 'delaysMs[attempts]',
    instead: 'delaysMs[attempts + 1]',
    foundBy: ['test/rules/domain/webhooks/retry-schedule.test.ts'],
  },
  'the words of merged segments are lost': {
    path: 'domain/words/segment.ts',
    find: 'if (!segment.words) delete into.words',
    instead: 'delete into.words',
    foundBy: ['test/rules/domain/words/segment.test.ts'],
  },
}
