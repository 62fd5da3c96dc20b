import { EventSource } from 'eventsource'

const fetchWithKey = (url, init) =>
  fetch(url, { ...init, headers: { ...init.headers, Authorization: 'Bearer haul_…' } })
const url = `https://haul.example.com/jobs/${process.env.HAUL_JOB}/events`
const events = new EventSource(url, { fetch: fetchWithKey })
events.addEventListener('job', ({ data }) => {
  console.log('job', data)
  if (JSON.parse(data).status === 'completed') events.close()
})
