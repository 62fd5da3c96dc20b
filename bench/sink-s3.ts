import { createServer, type IncomingMessage } from 'node:http'
import { listenOnLoopback } from '../test/support/loopback.ts'

/**
 * An S3 server that checks nothing and keeps no media, so that a copy is measured without another program's disk. It
 * supports the requests of one copy at a time, and keeps small objects for the check of `PUT /storage`. `copySeconds`
 * is the time of the last copy, from the request that creates the upload to the check of the stored object.
 */
export const startSinkS3 = async () => {
  const small = new Map<string, Buffer>()
  const uploaded = new Map<string, { sizeBytes: number; sha256: string }>()
  let [createdAt, checkedAt] = [Number.NaN, Number.NaN]
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sink')
    const { sizeBytes, head } = await receive(request)
    if (request.method === 'GET') return void response.end(small.get(pathname))
    if (request.method === 'DELETE') return void response.writeHead(204).end()
    if (request.method === 'HEAD') {
      checkedAt = performance.now()
      const { sizeBytes, sha256 } = uploaded.get(pathname) ?? { sizeBytes: 0, sha256: '' }
      return void response.writeHead(200, { 'content-length': sizeBytes, 'x-amz-meta-sha256': sha256 }).end()
    }
    if (searchParams.has('uploads')) {
      createdAt = performance.now()
      uploaded.set(pathname, { sizeBytes: 0, sha256: `${request.headers['x-amz-meta-sha256']}` })
      response.setHeader('x-amz-checksum-algorithm', 'SHA256')
      return void response.end('<Result><UploadId>1</UploadId></Result>')
    }
    if (request.method === 'POST') return void response.end('<CompleteMultipartUploadResult/>')
    const upload = uploaded.get(pathname)
    if (upload) upload.sizeBytes += sizeBytes
    else small.set(pathname, head)
    response.writeHead(200, { etag: '"1"' }).end()
  })
  return { ...(await listenOnLoopback(server)), copySeconds: () => (checkedAt - createdAt) / 1000 }
}

const receive = async (request: IncomingMessage): Promise<{ sizeBytes: number; head: Buffer }> => {
  let sizeBytes = 0
  let head = Buffer.alloc(0)
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (sizeBytes === 0) head = Buffer.from(chunk)
    sizeBytes += chunk.length
  }
  return { sizeBytes, head }
}
