// Who asks: an account as the configuration names it, and what it signs with. Source: interface document, part 1.

export interface Credentials {
  readonly key: string
  /** In PEM form it is an RSA key. */
  readonly secret: string
  readonly passphrase: string
}

export interface AccountAccess {
  readonly name: string
  readonly uid?: string
  readonly api?: Credentials
  readonly tax?: Credentials
}
