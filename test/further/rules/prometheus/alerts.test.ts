import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { failureCodes } from '../../../../domain/codes/failures.ts'
import { parseError, promtool, rulesFile, wrongAlerts } from './promtool.ts'
import { type Counted, scrapeOf } from './scrape.ts'
import { alertTest, type Firing, minutes, type Scrape } from './time-line.ts'

/** When the alerts of docs/alerts.yml fire, evaluated by Prometheus's own engine. */
const quiet = scrapeOf()

/** Twenty quiet minutes, and then what happens. */
const after = (...scrapes: Scrape[]): Scrape[] => [...minutes(20, quiet), ...scrapes]

const counting = (count: number, counted: (minute: number) => Counted): Scrape[] =>
  Array.from({ length: count }, (_, minute) => scrapeOf(counted(minute + 1)))

const growing = (perMinute: Record<string, number>) => (minute: number) => ({
  ended: Object.fromEntries(Object.entries(perMinute).map(([key, count]) => [key, Math.floor(count * minute)])),
})

const waiting = (count: number, runningEngines = 2): Scrape[] =>
  counting(count, (minute) => ({ oldestStepSeconds: minute * 60, runningEngines }))

/** Of one source, as the metrics name its jobs. */
const stopped = 'outcome="failed",code="SOURCE_UNSUPPORTED",version="2026.11.1",window="hour"'
const workedBefore = 'outcome="completed",code="",version="2026.10.26",window="week"'
const works = 'outcome="completed",code="",version="2026.10.26",window="hour"'

const outdated = scrapeOf({ extractorProblems: 1 })
const DAY = 24 * 60

const cases: [title: string, scrapes: Scrape[], firings: Firing[]][] = [
  ['nothing happens', minutes(60, quiet), []],
  [
    'jobs complete, fail by their own fault or are canceled',
    counting(60, growing({ completed: 9, NO_AUDIO: 4, CANCELED: 9 })),
    [],
  ],

  ['every scrape fails', after(...minutes(20, null)), [{ alert: 'HaulDown', from: 23 }]],
  ['two scrapes in a row fail', after(null, null, ...minutes(10, quiet)), []],
  ['the response has no metrics of Haul', after(...minutes(20, 'other 1\n')), [{ alert: 'HaulDown', from: 23 }]],
  [
    'scrapes fail again shortly after they worked',
    after(...minutes(5, null), ...minutes(2, quiet), ...minutes(10, null)),
    [{ alert: 'HaulDown', from: 23 }],
  ],
  ['an outage ends', after(...minutes(5, null), ...minutes(20, quiet)), [{ alert: 'HaulDown', from: 23, to: 29 }]],

  ['a step waits for good', after(...waiting(10)), [{ alert: 'HaulStepsWait', from: 26 }]],
  ['a step waits for five minutes', after(...waiting(5), ...minutes(10, quiet)), []],
  [
    'the oldest step is now below and now above five minutes',
    after(...waiting(8), ...[250, 350, 250, 350].map((oldestStepSeconds) => scrapeOf({ oldestStepSeconds }))),
    [{ alert: 'HaulStepsWait', from: 26 }],
  ],

  ['all jobs begin to fail', after(...counting(20, growing({ INTERNAL: 10 }))), [{ alert: 'HaulJobsFail', from: 25 }]],
  [
    'one job in ten begins to time out',
    after(...counting(20, growing({ TIMED_OUT: 2, completed: 18 }))),
    [{ alert: 'HaulJobsFail', from: 27 }],
  ],
  ['one job in fifty fails', counting(90, growing({ INTERNAL: 2, completed: 98 })), []],
  ['four jobs fail while nobody else uses Haul', after(...minutes(40, scrapeOf({ ended: { INTERNAL: 4 } }))), []],
  [
    'a metric that was reset counts from zero',
    [...minutes(20, scrapeOf({ ended: { INTERNAL: 900 } })), ...minutes(40, quiet)],
    [],
  ],
  [
    'all jobs of little traffic fail: one in five minutes',
    after(...counting(60, growing({ INTERNAL: 0.2 }))),
    [{ alert: 'HaulJobsFail', from: 49 }],
  ],

  [
    'sources block three jobs in ten',
    after(...counting(40, growing({ SOURCE_BLOCKED: 2, SOURCE_UNREACHABLE: 1, completed: 7 }))),
    [{ alert: 'HaulSourcesFail', from: 38 }],
  ],
  ['sources block one job in ten', counting(90, growing({ SOURCE_BLOCKED: 1, completed: 9 })), []],
  ['one caller imports nine blocked files', after(...minutes(40, scrapeOf({ ended: { SOURCE_BLOCKED: 9 } }))), []],

  [
    'every job of a source fails, and some completed within the week',
    after(...minutes(60, scrapeOf({ sources: [stopped, workedBefore] }))),
    [{ alert: 'HaulSourceStopped', from: 50 }],
  ],
  ['a source that never worked fails', after(...minutes(60, scrapeOf({ sources: [stopped] }))), []],
  [
    'a source fails with one version, and works with another',
    after(...minutes(60, scrapeOf({ sources: [stopped, workedBefore, works] }))),
    [],
  ],

  [
    'an engine cannot take the newest yt-dlp for a day, and two scrapes fail meanwhile',
    after(...minutes(DAY - 60, outdated), null, null, ...minutes(90, outdated)),
    [{ alert: 'HaulExtractorOutdated', from: 20 + DAY }],
  ],
  [
    'an engine takes the newest yt-dlp after 23 hours',
    after(...minutes(DAY - 60, outdated), ...minutes(90, quiet)),
    [],
  ],

  [
    'one dead letter: for almost an hour',
    after(...minutes(58, scrapeOf({ deadLetters: 1 }))),
    [{ alert: 'HaulDeadLetters', from: 20 }],
  ],
  ['dead letters of the past, when Prometheus is started', minutes(90, scrapeOf({ deadLetters: 7 })), []],
  [
    'a dead letter during an outage of Prometheus',
    after(...minutes(30, null), ...minutes(5, scrapeOf({ deadLetters: 1 }))),
    [
      { alert: 'HaulDown', from: 23, to: 54 },
      { alert: 'HaulDeadLetters', from: 50 },
    ],
  ],
]

test.each(cases)('%s', async (_, scrapes, firings) => {
  expect(await wrongAlerts(scrapes, firings)).toBe('')
})

test('Haul is down if Prometheus has no target named haul', async () => {
  const file = JSON.parse(alertTest(rulesFile, minutes(10, null), [{ alert: 'HaulDown', from: 3 }]))
  file.tests[0].input_series = [{ series: 'up{job="other"}', values: '1x10' }]
  expect(await promtool(['test', 'rules'], JSON.stringify(file))).toMatchObject({ isOk: true })
})

test.each([
  ['fires a minute later than expected', [{ alert: 'HaulDown', from: 22 }]],
  ['fires a minute earlier than expected', [{ alert: 'HaulDown', from: 24 }]],
  ['is not expected', []],
])('promtool notices an alert that %s', async (_, firings) => {
  expect(await wrongAlerts(after(...minutes(20, null)), firings)).toContain('FAILED')
})

test.each([
  [0, 'No engine runs: find out why none starts.'],
  [2, '2 engines run: raise MAX_ENGINES if all their places are taken, otherwise find the engine that takes no steps.'],
])('with %i engines the alert of waiting steps says: %s', async (runningEngines, description) => {
  const file = JSON.parse(alertTest(rulesFile, after(...waiting(10, runningEngines)), []))
  file.tests[0].promql_expr_test = []
  file.tests[0].alert_rule_test = [
    {
      eval_time: '27m',
      alertname: 'HaulStepsWait',
      exp_alerts: [
        {
          exp_labels: { job: 'haul', instance: 'haul.example.com', severity: 'critical' },
          exp_annotations: {
            summary: 'A step has waited for 8m 0s.',
            description,
            runbook: 'docs/operating.md#haulstepswait',
          },
        },
      ],
    },
  ]
  expect(await promtool(['test', 'rules'], JSON.stringify(file))).toMatchObject({ isOk: true })
})

test('Prometheus reads a scrape, and refuses one with a broken line or without its end', async () => {
  expect(await parseError(quiet)).toBe('')
  expect(await parseError(quiet.replace('step="fetch"', 'step=fetch'))).not.toBe('')
  expect(await parseError(quiet.replace('# EOF\n', ''))).not.toBe('')
})

/** Without an alert of all jobs: the fault of the source's media, of the request, of the caller's account, bucket or provider, or of nobody. */
const withoutAlert =
  `SOURCE_NOT_FOUND SOURCE_UNSUPPORTED SOURCE_PRIVATE SOURCE_AGE_RESTRICTED SOURCE_LIVE SOURCE_REGION_BLOCKED
  SOURCE_DRM SOURCE_TRUNCATED NO_AUDIO NO_VIDEO NO_SPEECH OPTION_UNSUPPORTED MEDIA_TOO_LARGE MEDIA_TOO_LONG
  INSUFFICIENT_BALANCE STORAGE_FAILED CANCELED TRANSCRIPTION_PROVIDER_REQUIRED MAX_COST_REQUIRED MAX_COST_EXCEEDED
  PROVIDER_KEY_REJECTED PROVIDER_QUOTA PROVIDER_RATE_LIMITED PROVIDER_FAILED CLIP_OUT_OF_RANGE NO_ITEMS
  KEY_BUDGET_EXCEEDED`.split(/\s+/)

test('every failure code counts for one alert of all jobs, or is known to wake nobody', () => {
  const queries = [...readFileSync(rulesFile, 'utf8').matchAll(/haul_jobs_ended_total\{code=~"(\S+?)"/g)].map(
    ([, codes = '']) => codes,
  )
  const counted = [...new Set(queries)].flatMap((codes) => codes.split('|'))
  expect([...counted, ...withoutAlert].sort()).toEqual([...failureCodes].sort())
})
