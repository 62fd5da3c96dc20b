/** Jobs that ended on 22 November 2026, in the hour that begins at the time of day. */
export const outcome = (
  timeOfDay: string,
  outcome: 'completed' | 'failed' | 'canceled',
  count = 1,
  source = 'example.com',
  code = '',
  version = '',
) => ({ hour: `2026-11-22T${timeOfDay}:00.000Z`, kind: 'import' as const, source, outcome, code, version, count })
