// Creates and drops databases on the tests' server, on a connection of its own: neither may run in a
// transaction.
import pg from 'pg'

/** `template` must have no connections meanwhile. */
export async function createDatabase(serverUrl: string, name: string, template = 'template1'): Promise<void> {
  await administer(serverUrl, `create database ${name} template ${template}`)
}

export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await administer(serverUrl, `drop database if exists ${name} with (force)`)
}

/** All whose names begin so. */
export async function dropDatabases(serverUrl: string, prefix: string): Promise<void> {
  const client = new pg.Client(serverUrl)
  await client.connect()
  try {
    const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [
      prefix,
    ])
    for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`)
  } finally {
    await client.end()
  }
}

/** The same server, another database. */
export function withDatabaseName(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

async function administer(serverUrl: string, sql: string): Promise<void> {
  const client = new pg.Client(serverUrl)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
