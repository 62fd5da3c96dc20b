import { sleep } from '../sleep.ts'
import type { Act } from './act.ts'

export const operatorActs = {
  suspension: {
    weight: 1,
    run: async ({ account, random, operate }) => {
      await operate('PATCH', `/admin/accounts/${account.id}`, { suspended: true })
      await sleep(random.between(1_000, 40_000))
      // An operator repeats what has not been answered.
      for (let tries = 0; tries < 20; tries++) {
        const { status } = await operate('PATCH', `/admin/accounts/${account.id}`, { suspended: false })
        if (status === 200) return
        await sleep(2_000)
      }
    },
  },
  'new limits': {
    weight: 1,
    run: ({ account, random, operate }) =>
      operate('PATCH', `/admin/accounts/${account.id}`, {
        limits: { concurrentJobs: { import: random.between(1, 8), transcription: random.between(1, 8) } },
      }),
  },
  'small budget of free work': {
    weight: 1,
    run: async ({ account, random, operate }) => {
      const path = `/admin/accounts/${account.id}`
      await operate('PATCH', path, { limits: { freeWork: { engineSecondsPerHour: random.between(1, 30) } } })
      await sleep(random.between(5_000, 60_000))
      await operate('PATCH', path, { limits: { freeWork: { engineSecondsPerHour: null } } })
    },
  },
  'small limit of uploads': {
    weight: 1,
    run: ({ account, random, operate }) =>
      operate('PATCH', `/admin/accounts/${account.id}`, { limits: { uploadBytes: random.between(1, 60) * 1_000_000 } }),
  },
  'new prices': {
    weight: 2,
    run: async ({ account, random, operate }) => {
      const cents = (most: number) => random.between(0, most) / 1_000
      const own = { downloadPerMegabyte: cents(20), builtinPerMinute: cents(40), speechMinimum: cents(60) }
      const prices = random.chance(0.3) ? 'free' : random.chance(0.5) ? own : null
      await operate('PATCH', `/admin/accounts/${account.id}`, { prices })
    },
  },
  credit: {
    weight: 1,
    run: async ({ account, name, operate }) => {
      const body = { amountDollars: 1, reference: name }
      await operate('POST', `/admin/accounts/${account.id}/credits`, body)
      await operate('POST', `/admin/accounts/${account.id}/credits`, body)
    },
  },
  'look at everything': {
    weight: 1,
    run: async ({ account, operate }) => {
      await operate('GET', '/admin/accounts')
      await operate('GET', `/admin/accounts/${account.id}`)
      await operate('GET', '/admin/engines')
      await operate('GET', '/admin/metrics')
      await operate('GET', '/admin/outcomes')
      await operate('GET', '/admin/webhooks/dead')
    },
  },
  'second key': {
    weight: 1,
    run: async ({ account, operate }) => {
      const { status, text } = await operate('POST', `/admin/accounts/${account.id}/keys`)
      if (status !== 200) return
      const { keyId } = JSON.parse(text).data
      await operate('DELETE', `/admin/accounts/${account.id}/keys/${keyId}`)
    },
  },
} satisfies Record<string, Act>
