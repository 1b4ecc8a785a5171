/**
 * Folder of the books if --dir is not given, relative to the working directory. Contract, "Commands". In a file of its own,
 * because the command line needs it for `--help`, which loads nothing else of the configuration.
 */
export const USUAL_FOLDER = 'data/books'
