/** Run before the tests of this folder: their process and its children compute on the Vulkan device. */
import { vulkanEnvironment } from "../support/vulkan-driver.js";

Object.assign(process.env, vulkanEnvironment);
