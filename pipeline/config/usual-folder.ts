/** Folder of the books if --dir is not given, relative to the working directory. Contract, "Commands". */
export const USUAL_FOLDER = 'data/books'
