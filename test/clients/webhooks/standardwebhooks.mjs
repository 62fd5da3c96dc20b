// Verifies the webhook in stdin: its headers as JSON in the first line, then its body.
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const [headers, body] = (await text(process.stdin)).split(/\n(.*)/s)
console.log(JSON.stringify(new Webhook(process.env.HAUL_WEBHOOK_SECRET).verify(body, JSON.parse(headers))))
