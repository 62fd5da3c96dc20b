import { VirtualBody } from '../platform/http-message.ts'
import type { Act, Scene } from './act.ts'

interface Pending {
  uploadId: string
  parts: { number: number; url: string; sizeBytes: number }[]
}

const reserve = async ({ account, random, name }: Scene): Promise<Pending | null> => {
  const sizeBytes = random.between(1_000, 30_000_000)
  const answer = await account.ask('POST', '/uploads', { body: { filename: `${name}.mp3`, sizeBytes } })
  return answer?.status === 201 ? (answer.body.data as unknown as Pending) : null
}

const sendParts = async ({ world, name }: Scene, { parts }: Pending) => {
  const sent = []
  for (const { number, url, sizeBytes } of parts) {
    const body = new VirtualBody(sizeBytes, `${name} ${number}`)
    const headers = new Headers({ 'content-length': `${sizeBytes}` })
    const put = { method: 'PUT', url: new URL(url), headers, body, signal: null }
    const answer = await world.internet.request(put).catch(() => null)
    const etag = answer && new Headers(answer.headers).get('etag')
    sent.push({ number, etag })
  }
  return sent
}

export const uploadActs = {
  upload: {
    weight: 3,
    run: async (scene) => {
      const pending = await reserve(scene)
      if (!pending) return
      for (let tries = 0; tries < 3; tries++) {
        const parts = await sendParts(scene, pending)
        const answer = await scene.account.ask('POST', `/uploads/${pending.uploadId}/complete`, { body: { parts } })
        if (answer?.status !== 200) continue
        scene.account.uploads.push(pending.uploadId)
        return
      }
    },
  },
  'upload that is left': {
    weight: 1,
    run: async (scene) => {
      const pending = await reserve(scene)
      if (pending && scene.random.chance(0.5)) await sendParts(scene, pending)
    },
  },
  'removal of an upload': {
    weight: 1,
    run: async (scene) => {
      const { account, random } = scene
      const id = account.uploads[random.between(0, Math.max(0, account.uploads.length - 1))]
      if (id !== undefined) await account.ask('DELETE', `/uploads/${id}`)
    },
  },
} satisfies Record<string, Act>
