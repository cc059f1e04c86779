// Creates and drops databases on a connection of its own: neither may run in a transaction.
import pg from 'pg'

/** `template` must have no connections meanwhile. */
export async function createDatabase(serverUrl: string, name: string, template = 'template1'): Promise<void> {
  await administer(serverUrl, `create database ${name} template ${template}`)
}

export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await administer(serverUrl, `drop database if exists ${name} with (force)`)
}

export async function dropDatabases(serverUrl: string, prefix: string): Promise<void> {
  const named = `select datname from pg_database where starts_with(datname, '${prefix}')`
  for (const { datname } of await administer(serverUrl, named)) await dropDatabase(serverUrl, datname)
}

export function withDatabaseName(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

async function administer(serverUrl: string, sql: string): Promise<{ readonly datname: string }[]> {
  const client = new pg.Client(serverUrl)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
