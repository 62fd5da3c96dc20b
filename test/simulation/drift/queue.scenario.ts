interface Message {
  id: string
  body: unknown
  attempts: number
  ack(): void
  retry(options?: { delaySeconds?: number }): void
}

/** A consumer that treats its messages by what they say. */
export const consumeScenario = async ({ messages }: { messages: readonly Message[] }): Promise<void> => {
  for (const message of messages) {
    if (message.body === 'ack') message.ack()
    if (message.body === 'retry') message.retry({ delaySeconds: 5 })
    if (message.body === 'ack, then retry') {
      message.ack()
      message.retry()
    }
    if (message.body === 'retry, then ack') {
      message.retry()
      message.ack()
    }
  }
  if (messages.some(({ body }) => body === 'throw')) throw new Error('thrown by the consumer')
}

export const bodies = ['ack', 'retry', 'nothing', 'ack, then retry', 'retry, then ack']

/** Which of them come again, without and with an error of the consumer. */
export const expectedAgain = {
  returned: ['retry', 'retry, then ack'],
  thrown: ['retry', 'nothing', 'retry, then ack', 'throw'],
}
