import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";

/** GFM. It recurses, and takes its time: mind `isTangled` and the length of what it is given. */
export const markdownParser = unified().use(remarkParse).use(remarkGfm).freeze();
