/** A response of GET /admin/metrics, as far as the alerts read it. */
export interface Counted {
  /** Jobs that ended, by outcome or failure code. */
  ended?: Record<string, number>
  oldestStepSeconds?: number
  runningEngines?: number
  deadLetters?: number
  extractorProblems?: number
  /** Labels of the jobs of one source. */
  sources?: string[]
}

const ended = (key: string): string =>
  key === 'completed'
    ? 'outcome="completed",code=""'
    : `outcome="${key === 'CANCELED' ? 'canceled' : 'failed'}",code="${key}"`

/** Known series are always there. */
const none = {
  completed: 0,
  CANCELED: 0,
  INTERNAL: 0,
  TIMED_OUT: 0,
  SOURCE_BLOCKED: 0,
  SOURCE_UNREACHABLE: 0,
  NO_AUDIO: 0,
}

export const scrapeOf = (counted: Counted = {}): string => {
  const jobs = Object.entries({ ...none, ...counted.ended })
  return `# TYPE haul_jobs_ended counter
${jobs.map(([key, count]) => `haul_jobs_ended_total{kind="import",${ended(key)}} ${count}`).join('\n')}
# TYPE haul_oldest_step_seconds gauge
haul_oldest_step_seconds{step="fetch"} ${counted.oldestStepSeconds ?? 0}
haul_oldest_step_seconds{step="audio"} 0
# TYPE haul_engines gauge
haul_engines{state="running"} ${counted.runningEngines ?? 2}
haul_engines{state="starting"} 0
# TYPE haul_engine_extractor_problems gauge
haul_engine_extractor_problems ${counted.extractorProblems ?? 0}
# TYPE haul_dead_letters counter
haul_dead_letters_total{queue="steps-dead"} ${counted.deadLetters ?? 0}
haul_dead_letters_total{queue="webhooks-dead"} 0
# TYPE haul_source_jobs gauge
${(counted.sources ?? []).map((labels) => `haul_source_jobs{source="video.example",${labels}} 5\n`).join('')}# EOF
`
}
