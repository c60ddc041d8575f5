/** Addresses of databases and counters. They can contain passwords, so messages and logs use only `describeUrl`. */

const SCHEME = /^(postgres(?:ql)?|rediss?):\/\//

export const HOW_TO_ENCODE =
  'write it as scheme://user:password@host:port/name, with characters such as @ / ? # , in the password as %40 %2F %3F %23 %2C.'

/** For an ambiguous address only the scheme, because the rest might contain a part of the password. */
export function describeUrl(text: string): string {
  if (text.startsWith('sqlite:')) return text
  if (/^rediss?:/.test(text) && text.includes(',')) {
    const parts = text.split(',')
    return parts.every(isUnambiguous) ? parts.map(describeUrl).join(',') : `${SCHEME.exec(text)?.[1] ?? 'redis'}://…`
  }
  const scheme = SCHEME.exec(text)?.[1]
  if (scheme === undefined) return '…'
  const url = URL.parse(text)
  if (url === null || !isUnambiguous(text)) return `${scheme}://…`
  // libpq and pg let the query override the rest.
  const parameters = scheme.startsWith('postgres') ? url.searchParams : new URLSearchParams()
  const host = parameters.get('host') ?? url.hostname
  const port = parameters.get('port') ?? url.port
  return `${scheme}://${host.includes('/') ? encodeURIComponent(host) : host}${port === '' ? '' : `:${port}`}${url.pathname}`
}

/** Whether user and password can be told from the rest. */
export function isUnambiguous(text: string): boolean {
  const url = SCHEME.test(text) ? URL.parse(text) : null
  if (url === null || url.hash !== '' || url.pathname.includes('@')) return false
  const query = url.search.slice(1)
  return query === '' || query.split('&').every((pair) => /^(?:(?:user|password)=.*|\w+=[^@]*)$/.test(pair))
}
