/** The default theme with the fonts of the system instead of fonts that the browser would load. */
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
