import { expect, test } from 'vitest'
import { keyLines } from '../../../../client/cli/commands/keys.ts'
import type { Key } from '../../../../client/src/index.ts'

const key: Key = {
  keyId: 'key_01KBH3V8Y7Q0ZJ6W5T4S3R2P1N',
  name: 'ci',
  prefix: 'haul_01KBH3V8Y7Q0ZJ6W5T4S3R2P1N_Ab3d',
  scopes: ['read', 'transcribe'],
  dollarsPerMonth: 5,
  spentThisMonthDollars: 1.2,
  heldDollars: 0,
  expiresAt: new Date(2027, 0, 31).toISOString(),
  allowedOrigins: [],
  createdAt: new Date(2026, 10, 1).toISOString(),
  lastUsedAt: new Date(2026, 10, 22, 14, 5).toISOString(),
}
const first: Key = {
  ...key,
  ...{ name: null, scopes: ['read', 'import', 'transcribe', 'manage'], dollarsPerMonth: null, expiresAt: null },
  ...{ lastUsedAt: null, allowedOrigins: ['https://a.example', 'https://b.example'] },
}

test('each key is a line of a table, with its id, its beginning and its pages below', () => {
  expect(keyLines([key, first])).toEqual([
    'Name                   Scopes            This month      Expires           Last used',
    'ci                     read, transcribe  $1.20 of $5.00  2027-01-31 00:00  2026-11-22 14:05',
    '  key_01KBH3V8Y7Q0ZJ6W5T4S3R2P1N  haul_01KBH3V8Y7Q0ZJ6W5T4S3R2P1N_Ab3d…',
    '(made by an operator)  all               $1.20           never             never',
    '  key_01KBH3V8Y7Q0ZJ6W5T4S3R2P1N  haul_01KBH3V8Y7Q0ZJ6W5T4S3R2P1N_Ab3d…',
    '  in pages of https://a.example, https://b.example',
  ])
})

test('on a terminal of 80 columns no line is wider', () => {
  const long = { ...key, name: 'the nightly import of all podcasts', scopes: ['read', 'import', 'transcribe'] } as Key
  for (const line of keyLines([long, first], 80)) expect(line.length).toBeLessThanOrEqual(80)
})
