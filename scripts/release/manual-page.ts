/** Makes the manual page of the command from the output of `pets --help` and `pets serve --help`. */

export function manualPage(help: string, serveHelp: string, version: string, at: Date): string {
  return `.TH PETS 1 ${at.toISOString().slice(0, 10)} "pets ${version}" "Pet adoption service"
.SH NAME
pets \\- run and operate the pet adoption service
.SH SYNOPSIS
.B pets
.I command
[\\fIoptions\\fR]
.SH COMMANDS
.B pets
.I command
.B \\-\\-help
tells the options of each.
${items(help)}.SH SETTINGS
The options of
.BR "pets serve" .
Each can be given as a variable or a line of the settings file too:
.B \\-\\-operator\\-port
is PETS_OPERATOR_PORT, and in the settings file operator-port.
${items(serveHelp)}.SH FILES
.TP
.I /etc/pets.conf
Settings of the service and of all commands; pets config prints an example.
.TP
.I /var/lib/pets/pets.db
Its database.
.TP
.I /var/backups/pets
For backup-dir.
.SH EXIT STATUS
0 when it is done, 1 when it failed, 2 when it was called wrongly.
`
}

/** The items in all groups of a help text. Each line is a name, two spaces or more, and a description. */
function items(help: string): string {
  return [...help.matchAll(/^ {2}(\S.*?) {2,}(.*)$/gm)]
    .map(([, name = '', what = '']) => `.TP\n.B ${plain(name)}\n${plain(what)}\n`)
    .join('')
}

/** Escapes what troff would read as a command. */
function plain(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/, '\\&$&')
}
