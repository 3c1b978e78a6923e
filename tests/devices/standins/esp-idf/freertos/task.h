static inline void vTaskDelay(uint32_t ticks) { (void)ticks; }
