import { EventSource } from 'eventsource'

const fetchWithKey = async (url, init) => {
  const response = await fetch(url, { ...init, headers: { ...init.headers, Authorization: 'Bearer haul_…' } })
  console.log('response', response.status)
  return response
}
const url = `https://haul.example.com/jobs/${process.env.HAUL_JOB}/events`
const events = new EventSource(url, { fetch: fetchWithKey })
events.addEventListener('job', ({ data }) => console.log('job', data))

// At the end of the stream it connects again, which does not keep a process running. 204 closes it.
const running = setInterval(() => {}, 60_000)
events.addEventListener('error', () => {
  if (events.readyState === EventSource.CLOSED) clearInterval(running)
})
