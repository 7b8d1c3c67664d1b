import { refusalOf } from '../../api/api-error.ts'
import { fetchSigned } from '../../api/client.ts'

/** Saves a list of the API as a table of comma-separated values. @throws {ApiError} */
export async function saveCsv(path: string, filename: string): Promise<void> {
  const response = await fetchSigned(new Request(new URL(path, location.origin), { headers: { Accept: 'text/csv' } }))
  if (!response.ok) throw refusalOf(response, await response.json().catch(() => undefined))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = filename
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
